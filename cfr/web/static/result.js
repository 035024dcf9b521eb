// A player's result beside the table, as it is and luck-adjusted.

import { find, make, signed } from "./page.js";

const LUCK =
  "What your decisions are worth: chips that came from the luck of the cards and of the bot\u2019s random choices are " +
  "taken out (AIVAT). It is as true as the result over many hands and tells far sooner. Each hand is worked out after " +
  "its end, for all cards that the bot could have held.";

/** Draw the `result` of a table, see docs/web.md, in the place with this id. */
export function drawResult(result, { id = "result", title = "Your result", luck = LUCK } = {}) {
  const { hands, chips, bb_per_100: rate, interval_95: interval, luck_adjusted: adjusted } = result;
  const known = hands > 1; // one hand says nothing about 100
  const open = find(id).querySelector("details")?.open ?? false;
  find(id).replaceChildren(
    make("h2", {}, title),
    make(
      "p",
      { className: `figure ${known ? tendency(rate) : ""}` },
      known ? signed(rate, 1) : "\u2013",
      make("small", {}, hands === 1 ? "big blinds per 100 hands, from two hands on" : "big blinds per 100 hands"),
    ),
    make(
      "dl",
      {},
      make("dt", {}, "Hands"),
      make("dd", {}, hands.toLocaleString("en")),
      make("dt", {}, "Chips"),
      make("dd", {}, signed(chips)),
      make("dt", {}, "95 % interval"),
      make("dd", {}, margin(interval, hands)),
    ),
    ...(adjusted.hands > 1 ? drawLuck(adjusted, hands, open, luck) : []),
  );
}

function drawLuck({ hands, bb_per_100: rate, interval_95: interval }, all, open, luck) {
  return [
    make(
      "p",
      { className: `figure adjusted ${tendency(rate)}` },
      signed(rate, 1),
      make("small", {}, "big blinds per 100 hands, luck-adjusted"),
    ),
    make(
      "dl",
      {},
      ...(hands < all ? [make("dt", {}, "Hands worked out"), make("dd", {}, hands.toLocaleString("en"))] : []),
      make("dt", {}, "95 % interval"),
      make("dd", {}, margin(interval, hands)),
    ),
    make("details", { className: "explain", open }, make("summary", { title: luck }, "What is this?"), make("p", {}, luck)),
  ];
}

/** The colour of a number. */
export function tendency(value) {
  return value > 0 ? "up" : value < 0 ? "down" : "";
}

function margin(interval, hands) {
  if (interval !== null) return `\u00b1 ${interval.toFixed(1)}`;
  return hands > 1 ? "too few hands" : "\u2013"; // hands that all ended alike
}
