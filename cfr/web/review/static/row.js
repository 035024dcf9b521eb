// A decision in a list: cards, betting, what it lost, and the strategy's mix; a link to its spot.

import { link, spotLink } from "../../static/links.js";
import { inline, make, ordered, percent, said, signed, tone } from "../../static/page.js";

export const ROUNDS = { "": "All rounds", preflop: "Preflop", flop: "Flop", turn: "Turn", river: "River" };
export const KINDS = {
  "": "All decisions",
  "check-bet": "Check or bet",
  "fold-call-raise": "Fold, call or raise",
  "fold-call": "Fold or call",
};

/** Mbb in big blinds. */
export function bigBlinds(mbb) {
  return (mbb / 1000).toLocaleString("en", { maximumFractionDigits: 3, minimumFractionDigits: 3 });
}

/** The row of a decision; `go` visits an address, `id` is that of the log's review, none in a database. */
export function row(each, go, id) {
  const named = { ...(id && { id }), hand: each.hand_id, player: each.player };
  const replay = `/watch?${new URLSearchParams(named)}`;
  const address = link(each.line, each.board, each.hand);
  const did = each.options.find(({ letter }) => letter === each.did);
  return make(
    "li",
    { className: "lost" },
    spotLink(
      address,
      { className: "lost-link" },
      go,
      make("span", { className: "lost-cards" }, inline(ordered(each.hand))),
      make("span", { className: "lost-board" }, inline(each.board)),
      make("span", { className: "faint lost-line" }, each.line || "first in"),
      make(
        "span",
        { className: `lost-ev ${each.mistake ? "down" : "faint"}` },
        each.ev_lost_mbb === null ? "\u2013" : signed(-each.ev_lost_mbb / 1000, 3),
      ),
      make(
        "span",
        { className: "lost-mix" },
        each.options.map((option) =>
          make(
            "span",
            { className: `lost-option ${option === did ? "done" : "faint"}` },
            make("span", { className: `swatch ${tone(option.letter)}` }),
            `${said(option)} ${percent(option.share)}`,
          ),
        ),
        make("span", { className: "faint" }, `${id ? "" : `${each.player} `}did ${said(did)}, hand ${each.number}`),
        each.day ? make("span", { className: "faint lost-day" }, each.day) : null,
        each.stand_in ? make("span", { className: "faint" }, `EV against a ${each.stand_in}: the opponent never comes here`) : null,
      ),
    ),
    make(
      "div",
      { className: "lost-more" },
      make(
        "a",
        { className: "text-button", href: replay, "data-link": true, "aria-label": `Replay hand ${each.number}` },
        "Replay",
      ),
      each.board
        ? spotLink(
            `${address}&solve=${each.line}`,
            { className: "text-button", title: "Solve this spot exactly", "aria-label": `Solve hand ${each.number} exactly` },
            go,
            "Solve",
          )
        : null,
    ),
  );
}
