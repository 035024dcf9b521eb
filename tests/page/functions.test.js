// The page's functions that draw nothing: what they give for what they are given.

import assert from "node:assert/strict";
import test from "node:test";

import { drawsSaid, frequency, mixSaid, per100, resultSaid, standing } from "../web/opponents/static/numbers.js";
import { layout } from "../web/opponents/static/resultPlot.js";
import { roundScale } from "../web/static/chart.js";
import { difference, largest } from "../web/static/difference.js";
import { link } from "../web/static/links.js";
import { decoded } from "../web/static/logs.js";
import { boardIn, capital, cardName, cards, counted, ordered, percent, said, signed, tone } from "../web/static/page.js";
import { allWeights, namedHands } from "../web/static/rangeText.js";
import { botName, knownAs, learnerAddress, learnerSaid, learntSaid, seatName } from "../web/table/static/learner.js";

const MINUS = "\u2212";

test("cards of a text, and a hand with its higher card first", () => {
  assert.deepEqual(cards("AsTd9c"), ["As", "Td", "9c"]);
  assert.deepEqual(cards(""), []);
  assert.equal(ordered("9cAs"), "As9c");
  assert.equal(ordered("AcAs"), "AsAc");
  assert.equal(cardName("Th"), "ten of hearts");
});

test("a board as far as a round has it", () => {
  const rules = { board_cards: [0, 3, 1, 1] };
  assert.equal(boardIn(rules, "Kh8s3c2d5d", 0), "");
  assert.equal(boardIn(rules, "Kh8s3c2d5d", 1), "Kh8s3c");
  assert.equal(boardIn(rules, "Kh8s3c2d5d", 3), "Kh8s3c2d5d");
});

test("a share has a decimal unless it is never or always", () => {
  assert.deepEqual([0, 0.5, 0.12345, 0.9999, 1].map(percent), ["0%", "50.0%", "12.3%", "100.0%", "100%"]);
});

test("one thing has no s", () => {
  assert.deepEqual([0, 1, 1200].map((number) => counted(number, "hand")), ["0 hands", "1 hand", "1,200 hands"]);
});

test("a number has a sign unless it is shown as zero", () => {
  assert.deepEqual([12.4, -12.6, 0, -0.3].map((value) => signed(value)), ["+12", `${MINUS}13`, "0", "0"]);
  assert.equal(signed(-0.26, 1), `${MINUS}0.3`);
});

test("actions in words and colours", () => {
  assert.equal(said({ word: "fold", amount: null }), "fold");
  assert.equal(said({ word: "bet", amount: 20 }), "bet 20");
  assert.equal(said({ word: "raise", amount: 40 }), "raise to 40");
  assert.deepEqual(["f", "c", "r"].map(tone), ["fold", "call", "raise"]);
  assert.equal(capital("check"), "Check");
});

test("the address of a spot has what is there", () => {
  assert.equal(link("", "", ""), "/explore");
  assert.equal(link("rc/", "Kh8s3c", "AsAd", [["solve", "rc/"]]), "/explore?line=rc/&board=Kh8s3c&hand=AsAd&solve=rc/");
});

test("a class of one weight has one name, dead hands none, and a range of nothing is said", () => {
  const classOf = (hand) => (hand[0] === hand[2] ? hand[0] + hand[2] : `${hand[0]}${hand[2]}o`);
  const hands = ["AsAd", "AsAc", "KsQd", "KcQd"];
  const range = { hands, classOf, board: "2c7d9h" };
  assert.equal(namedHands({ ...range, weights: [1, 1, 0.25, 0.5] }), "KsQd:0.25,KcQd:0.5,AA");
  assert.equal(namedHands({ ...range, weights: [0, 0, 1, 1] }), "KQo");
  assert.equal(namedHands({ ...range, weights: [1, 0.5, 0, 0], board: "Ac7d9h" }), "AA");
  assert.equal(namedHands({ ...range, weights: [0, 0, 0, 0] }), "random:0");
  assert.equal(allWeights({ weights: [0, 1, 0.1234567] }), "0 1 0.123457");
});

test("a log's text in any encoding, also where files were put together", async () => {
  const [one, other] = ["PokerStars Hand #1: Hold'em Limit\nZoé: folds\n", "PokerStars Hand #2: Hold'em Limit\nZoé\n"];
  const read = (...parts) => {
    const bytes = Uint8Array.from(parts.flatMap((part) => [...part]));
    return decoded({ arrayBuffer: async () => bytes.buffer });
  };
  const utf8 = (text) => new TextEncoder().encode(text);
  const latin = (text) => Uint8Array.from([...text], (each) => each.charCodeAt(0));
  const wide = (text, low, high) =>
    Uint8Array.from([...text].flatMap((each) => (low < high ? [each.charCodeAt(0), 0] : [0, each.charCodeAt(0)])));
  const [little, big] = [(text) => wide(text, 0, 1), (text) => wide(text, 1, 0)];
  for (const encoded of [utf8, latin, little, big]) assert.equal(await read(encoded(one)), one);
  for (const first of [utf8, latin, little, big]) {
    for (const second of [utf8, latin]) assert.equal(await read(first(one), second(other)), one + other);
  }
  for (const second of [little, big]) assert.equal(await read(utf8(one), second(other)), one + other);
  assert.equal(await read([0xff, 0xfe], little(one)), one);
  assert.equal(await read(), "");
});

const COMPARED = {
  actions: [
    { name: "call", word: "call" },
    { name: "raise", word: "raise" },
  ],
  mix: { call: [0.25, 0.5], raise: [0.75, 0.5] },
  strategy: { mix: { call: [0.5, 0.5], raise: [0.5, 0.5] }, weight: [1, 0] },
  weight: [1, 1],
};

test("two plays of a class differ by the action that grows most", () => {
  assert.deepEqual(largest(COMPARED, 0), { name: "raise", word: "raise", from: 0.5, to: 0.75, by: 0.25 });
  const found = difference(COMPARED, 0);
  assert.deepEqual([found.size, found.text], [0.25, "R+25"]);
  assert.equal(found.spoken, "raise 50.0% in the strategy, 75.0% in the solution");
  assert.deepEqual(difference(COMPARED, 1), { size: 0, text: "", spoken: "" }); // the strategy never gets there
});

test("numbers about players in words", () => {
  assert.equal(per100(123.4), "+12.3 big blinds per 100 hands");
  assert.deepEqual([frequency(0.614), frequency(0.614, 0.061)], ["61 %", "61 % \u00b1 6"]);
  assert.equal(drawsSaid({ win_10_mbb: -5, win_90_mbb: 26.04 }), `${MINUS}5.0 to +26.0`);
  assert.equal(drawsSaid({ win_10_mbb: null, win_90_mbb: null }), null);
  const coin = { safer_confidence: 0, greedier_confidence: 0.5 };
  assert.equal(mixSaid({ ...coin, share: 0 }), "Always the blueprint.");
  assert.equal(mixSaid({ ...coin, share: 1 }), "Always confidence 0.5.");
  assert.equal(
    mixSaid({ ...coin, share: 0.25 }),
    "A coin before each hand: confidence 0.5 in 25 % of the hands, the blueprint in the others.",
  );
});

test("how sure it is that a player strays from the blueprint", () => {
  const player = { hands: 1333, blueprint: "small", is_prior: false, gain_nats: 90, gain_error_nats: 10 };
  const said = "1,333 hands with a decision; hands held out are likelier by the model than by small: +90.0 \u00b1 19.6 nats (95 % interval).";
  assert.equal(standing(player), said);
  assert.equal(standing({ ...player, is_prior: true }), `${said} No leak found: the model is small itself.`);
  assert.equal(
    standing({ ...player, hands: 1, gain_nats: null }),
    "1 hand with a decision: too few to learn from. The model is small itself.",
  );
});

test("what a player won in a sentence", () => {
  const result = { hands: 1333, bb_per_100: -12.34, interval_95: 30.06 };
  assert.equal(resultSaid(result), `${MINUS}12.3 big blinds per 100 hands, \u00b1 30.1 (95 % interval), in 1,333 hands whose result is known.`);
  assert.equal(
    resultSaid({ hands: 1, bb_per_100: 100, interval_95: null }),
    "+100.0 big blinds per 100 hands, too few hands for a 95 % interval, in 1 hand whose result is known.",
  );
  assert.match(resultSaid({ hands: 0, bb_per_100: null, interval_95: null }), /not known/);
  assert.match(resultSaid(null), /earlier version/);
});

test("scales of round numbers", () => {
  assert.deepEqual(roundScale(0, 3000), { low: 0, high: 3000, marks: [0, 1000, 2000, 3000] });
  assert.deepEqual(roundScale(-7, 30), { low: -10, high: 30, marks: [-10, 0, 10, 20, 30] });
  assert.deepEqual(roundScale(0, 1).marks, [0, 0.5, 1]);
});

test("the curve of a result begins at zero and ends at the right edge", () => {
  const { points, rows, columns } = layout({ after: [2, 4, 6, 8], won_bb: [10, -5, 20, 30] });
  assert.equal(points.length, 5);
  const zero = rows.find(([, , isZero]) => isZero);
  assert.deepEqual(points[0], [44, zero[1]]);
  assert.equal(points.at(-1)[0], 340);
  assert.ok(points[2][1] > zero[1] && points[4][1] < points[3][1]); // a loss lies below zero
  assert.deepEqual([rows[0][0], rows.at(-1)[0]], [`${MINUS}10`, "30"]);
  assert.deepEqual(columns.map(([text]) => text), ["0", "2", "4", "6", "8"]);
  assert.ok(layout({ after: [1, 2], won_bb: [0, 0] }).points.every(([, y]) => Number.isFinite(y)));
});

test("a player that learns has a name of its own, and knows the visitor by another", () => {
  assert.deepEqual(["learn:ann", "learn:", "ann", ""].map(botName), [
    "the player that learns",
    "the player that learns",
    "ann",
    "",
  ]);
  assert.deepEqual(["learn:ann", "ann"].map(seatName), ["learner", "ann"]);
  assert.deepEqual(["learn:ann", "learn:", "ann", ""].map(knownAs), ["ann", "", null, null]);
  for (const name of ["ann", "", "A&B = c+d"]) {
    const asked = new URLSearchParams(learnerAddress(` ${name} `).split("?")[1]).get("against");
    assert.equal(knownAs(asked), name);
  }
});

test("what a player that learns plays, and from what it has learnt", () => {
  assert.match(learnerSaid(["small", "beat-ann", "beat-bob"]), /^It plays a mix of small, beat-ann, and beat-bob, /);
  const ann = { name: "ann", hands: 1234, unwritten: 0 };
  assert.equal(learntSaid(ann), "It has learnt from 1,234 hands of ann, and keeps what it learnt.");
  assert.equal(
    learntSaid({ ...ann, hands: 1, unwritten: 1 }),
    "It has learnt from 1 hand of ann, and keeps what it learnt. Not yet written to its file: 1.",
  );
  assert.equal(
    learntSaid({ name: "", hands: 0, unwritten: 0 }),
    "It has learnt from 0 hands of yours, and keeps nothing beyond this session.",
  );
});
