// A hand's betting as it went: its rounds with their cards, each action a link to its spot in Explore.

import { link, spotLink } from "./links.js";
import { ROUNDS, boardIn, inline, make, said, tone } from "./page.js";

/** The rounds and actions of a `hand`, see docs/web.md; `go` visits an address. */
export function history(hand, rules, go) {
  const lines = [];
  let round = -1;
  for (const step of hand.steps) {
    if (step.round !== round) {
      round = step.round;
      lines.push(
        make(
          "div",
          { className: "log-round" },
          make("span", { className: "faint" }, ROUNDS[round]),
          make("span", {}, inline(boardIn(rules, hand.board, round))),
        ),
      );
    }
    const held = step.who === "you" ? hand.cards : hand.bot_cards;
    lines.push(
      spotLink(
        link(step.line, boardIn(rules, hand.board, step.round), held),
        { className: "log-step" },
        go,
        make("span", { className: "log-who" }, step.who === "you" ? (hand.you ?? "You") : hand.you ? hand.bot : "Bot"),
        make("span", { className: tone(step.letter) }, said(step)),
      ),
    );
  }
  return lines;
}
