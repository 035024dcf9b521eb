// A player's totals beside the list: result, EV lost, and how the player plays.

import { capital, counted, find, grouped, make, percent, signed } from "../../static/page.js";
import { tendency } from "../../static/result.js";
import { KINDS, ROUNDS, bigBlinds } from "./row.js";

const TENDENCIES = { vpip: "VPIP", pfr: "PFR", aggression: "Aggression" };
const WHAT = {
  vpip: "Hands in which the first decision puts chips in of free will",
  pfr: "Hands in which the first decision raises",
  aggression: "Bets and raises, of the bets, raises, calls and folds from the flop on",
};
const LUCK =
  "What the hands are worth without the luck of the cards: what each card changes on average is taken out (AIVAT). It " +
  "needs the cards of both players in every hand.";

/** Draw them into the sections whose ids begin with `view`. */
export function drawTotals(totals, view) {
  find(`${view}-totals`).replaceChildren(
    make("h2", {}, "Result"),
    ...figure(totals, "", "big blinds per 100 hands"),
    ...figure(totals.luck_adjusted, "adjusted", "big blinds per 100 hands, without the luck of the cards"),
    ...(totals.luck_adjusted.hands > 1
      ? [make("details", { className: "explain" }, make("summary", {}, "What is this?"), make("p", {}, LUCK))]
      : []),
  );
  find(`${view}-lost`).replaceChildren(
    make("h2", {}, "EV lost"),
    make(
      "p",
      { className: "figure" },
      totals.ev_lost_big_blinds_per_100_hands === null ? "\u2013" : totals.ev_lost_big_blinds_per_100_hands.toFixed(1),
      make("small", {}, "big blinds per 100 hands"),
    ),
    table(["", "decisions", "mistakes", "bb lost"], [
      ...groups(totals.by_round, ROUNDS),
      ...groups(totals.by_kind, KINDS),
      ["All", totals.decisions, totals.ev_lost_mbb === null ? "\u2013" : mistakes(totals), totals.ev_lost_mbb === null ? "\u2013" : bigBlinds(totals.ev_lost_mbb)],
    ]),
  );
  find(`${view}-tendencies`).replaceChildren(
    make("h2", {}, "How it plays"),
    table(
      ["", "player", "strategy"],
      Object.entries(TENDENCIES).map(([name, text]) => [
        make("span", { title: WHAT[name] }, text),
        shareOf(totals.tendencies[name].player),
        shareOf(totals.tendencies[name].strategy),
      ]),
    ),
    totals.unseen
      ? make("p", { className: "faint" }, `${counted(totals.unseen, "decision")} with cards that are not in the log: left out.`)
      : "",
  );
}

function figure({ hands, mbb_per_game: mean, interval_95: interval }, extra, words) {
  if (hands < 2) return extra ? [] : [make("p", { className: "figure" }, "\u2013", make("small", {}, "from two hands on"))];
  return [
    make(
      "p",
      { className: `figure ${extra} ${tendency(mean)}` },
      signed(mean / 10, 1),
      interval === null ? "" : make("span", { className: "margin" }, ` \u00b1 ${(interval / 10).toFixed(1)}`),
      make("small", {}, `${words}, ${counted(hands, "hand")}${interval === null ? ", too few for an interval" : ""}`),
    ),
  ];
}

function groups(totals, names) {
  return Object.entries(totals).map(([name, each]) => [
    names[name] ?? capital(name),
    each.decisions,
    each.decisions && each.ev_lost_mbb === null ? "\u2013" : each.mistakes,
    each.ev_lost_mbb === null ? "\u2013" : bigBlinds(each.ev_lost_mbb),
  ]);
}

function mistakes(totals) {
  return Object.values(totals.by_round).reduce((sum, each) => sum + each.mistakes, 0);
}

function shareOf(share) {
  return share === null ? "\u2013" : percent(share);
}

function table(head, rows) {
  const cell = (value) => make("td", {}, typeof value === "number" ? grouped(value) : value);
  return make(
    "table",
    { className: "counts" },
    make("thead", {}, make("tr", {}, head.map((text) => make("th", { scope: "col" }, text)))),
    make("tbody", {}, rows.map(([name, ...values]) => make("tr", {}, make("th", { scope: "row" }, name), values.map(cell)))),
  );
}
