// Both ranges at a spot beside each other: who gets there, how their equities are spread, and what their hands make.

import { alike, classOf, handNames, members } from "./detail.js";
import { CLASSES, handGrid } from "./grid.js";
import * as kinds from "./handKinds.js";
import { drawCurves } from "./rangeCurve.js";
import { SHORT, askUntilThere, capital, find, make, percent } from "../../static/page.js";
import { copyButtons } from "../../static/rangeText.js";
import { segments } from "../../static/segments.js";
import * as strategies from "./strategies.js";
import * as tip from "./tip.js";
import { fetchValues } from "../../static/values.js";

const SEATS = Object.keys(SHORT);
const KEPT = 32;

const known = new Map(); // both ranges, by query
const grids = {};
let spot = null; // the strategy's
let found = null; // its ranges
let hands = null; // by seat, what is drawn of each hand
let classes = null; // by seat, what is drawn of each class
let asking = null; // what the latest question is called off with
let kept = 0; // the class that is selected
let curve = "equity"; // what the curves show: equities, or EVs of the seat to act

export function start() {
  kinds.start(draw);
  for (const seat of SEATS) find("both-copy").append(make("span", {}, `${SHORT[seat]}: `, ...copyButtons(() => shownRange(seat), seat)));
  segments("both-curve", "both-curve", Object.entries({ equity: "Equity", ev: "EV" }), (chosen) => {
    curve = chosen;
    drawBothCurves();
    fetchEvs();
  });
  segments("both-seat", "both-seat", SEATS.map((seat) => [SHORT[seat], capital(seat)]), (seat) => {
    find("both").dataset.seat = seat;
  });
}

/** The range of a seat as the grid shows it: of the chosen kinds. */
function shownRange(seat) {
  const weights = hands[seat].map(({ chosen, reach }) => (chosen ? reach : 0));
  return { hands: spot.hands, weights, classOf, board: spot.board };
}

/** Call off what is being fetched. */
export function leave() {
  asking?.abort();
}

/** Show the ranges of a spot; `query` is that of its address. */
export async function show(asked, query) {
  leave();
  asking = new AbortController();
  const { signal } = asking;
  find("both").ariaBusy = "true";
  say(known.has(query) ? "" : asked.round ? "Counting equities" : "Counting equities: before the flop the first time takes some seconds");
  try {
    if (!known.has(query)) {
      known.set(query, await askUntilThere(`/api/ranges?${query}`, signal));
      if (known.size > KEPT) known.delete(known.keys().next().value);
    }
  } catch (error) {
    if (!signal.aborted) say(error.message);
    return;
  }
  if (signal.aborted) return;
  const isFirst = !found;
  [spot, found] = [asked, known.get(query)];
  gather();
  if (isFirst) {
    for (const seat of SEATS) grids[seat] = handGrid(find(`both-${SHORT[seat]}`), ["bars"], select, saidOf);
    kept = heaviest();
  }
  say("");
  draw();
  find("both").ariaBusy = "false";
  fetchEvs();
}

/** Fetch the EVs of the spot if the curves show them: on a flop they are seconds of work. */
function fetchEvs() {
  if (!spot || curve !== "ev" || spot.values) return;
  fetchValues(spot, strategies.query(spot.line, spot.board), drawBothCurves, () => null);
}

function say(text) {
  find("both-said").textContent = text;
  find("both-said").classList.toggle("waiting", text.startsWith("Counting"));
}

/** The class of which most is there, of the seat to act. */
function heaviest() {
  const weights = classes[found.seat].map(({ weight }) => weight);
  return weights.indexOf(Math.max(...weights));
}

/** What is drawn, of each hand and of each class, of the kinds that are chosen. */
function gather() {
  const numbers = new Map(CLASSES.map((name, number) => [name, number]));
  const places = spot.hands.map((hand) => numbers.get(classOf(hand)));
  const isLive = (place) => !found.made || found.made.of[place] >= 0;
  hands = {};
  classes = {};
  for (const seat of SEATS) {
    const { reach, weight, equity } = found.ranges[seat].hands;
    hands[seat] = reach.map((each, place) => ({
      equity: equity[place],
      reach: each,
      weight: weight[place],
      chosen: isLive(place) && kinds.isChosen(found, place),
    }));
    const sums = CLASSES.map(() => ({ live: 0, combos: 0, met: 0, won: 0 }));
    hands[seat].forEach((hand, place) => {
      const sum = sums[places[place]];
      sum.live += isLive(place);
      if (!hand.chosen) return;
      sum.combos += hand.reach;
      sum.met += hand.weight;
      sum.won += hand.weight * (hand.equity ?? 0);
    });
    classes[seat] = sums.map(({ live, combos, met, won }) => ({
      weight: live ? combos / live : 0,
      combos,
      equity: met ? won / met : null,
    }));
  }
}

function draw() {
  if (!found) return;
  gather();
  const isFiltered = kinds.isFiltered(found);
  const most = SEATS.map((seat) => {
    drawHead(seat);
    return drawGrid(seat);
  });
  const parts = SEATS.map((seat, number) => `${SHORT[seat]} ${percent(most[number])}`);
  const isWhole = Math.min(...most) > 0.9995;
  find("both-height").textContent = `Height: how much of the hand gets here${isWhole ? "" : `. A full cell is ${parts.join(", ")}`}`;
  drawBothCurves();
  drawChosen(isFiltered);
  kinds.draw(found, spot, actions());
  drawHand();
}

/** The curves of both seats' equities, or of the EVs of the seat to act. */
function drawBothCurves() {
  if (!found) return;
  const ofEvs = curve === "ev";
  const evs = spot.values?.hands.ev;
  const place = find("both-curves-body");
  if (ofEvs && !evs) {
    const why = spot.problem ?? (spot.has_values ? null : spot.why_unvalued.replaceAll("`", ""));
    place.replaceChildren(make("p", { className: "faint" }, why ? `No EVs: ${why}.` : "Working out EVs\u2026"));
    return;
  }
  const valued = (seat) => hands[seat].map((hand, number) => ({ ...hand, value: ofEvs ? evs[number] : hand.equity }));
  const shown = ofEvs ? [found.seat] : SEATS;
  const curves = Object.fromEntries(shown.map((seat) => [seat, valued(seat)]));
  place.replaceChildren(...drawCurves(curves, kinds.isFiltered(found), ofEvs));
}

function actions() {
  return spot.actions.map(({ name, word }) => ({ name, word }));
}

function drawHead(seat) {
  const { played, combos, equity } = found.ranges[seat];
  const acts = seat === found.seat ? ", to act" : "";
  const numbers = `${combos.toFixed(1)} combos${equity === null ? "" : `, equity ${percent(equity)}`}`;
  find(`both-${SHORT[seat]}-head`).replaceChildren(
    make("h2", {}, make("span", { className: `key ${SHORT[seat]}` }), `${capital(seat)}${acts}`),
    make("p", { className: "faint" }, played ? numbers : `never played; presumed ${numbers}`),
  );
}

/** Draw a seat's grid; how much of the hand gets there of which most does. */
function drawGrid(seat) {
  const most = Math.max(...classes[seat].map(({ weight }) => weight)) || 1;
  grids[seat].cells.forEach((cell, number) => {
    const { weight, equity } = classes[seat][number];
    cell.style.setProperty("--weight", weight / most);
    cell.style.setProperty("--heat", equity === null ? 0 : Math.abs(2 * equity - 1));
    cell.classList.toggle("absent", weight === 0);
    cell.classList.toggle("losing", equity !== null && equity < 0.5);
    cell.lastChild.textContent = weight && equity !== null ? Math.round(100 * equity) : "";
    cell.setAttribute("aria-label", `${CLASSES[number]}: ${spoken(seat, number)}`);
  });
  grids[seat].mark(kept);
  return most;
}

function spoken(seat, number) {
  const { weight, combos, equity } = classes[seat][number];
  if (!weight) return "not there";
  return `reach ${percent(weight)}, ${combos.toFixed(1)} combos${equity === null ? "" : `, equity ${percent(equity)}`}`;
}

/** The chosen hands in one line for each seat, and what the seat to act does with them. */
function drawChosen(isFiltered) {
  const lines = SEATS.map((seat) => {
    const all = hands[seat].reduce((sum, { reach }) => sum + reach, 0);
    const some = hands[seat].filter(({ chosen }) => chosen);
    const combos = some.reduce((sum, { reach }) => sum + reach, 0);
    const met = some.reduce((sum, { weight }) => sum + weight, 0);
    const equity = some.reduce((sum, { weight, equity: each }) => sum + weight * (each ?? 0), 0) / met;
    const won = met ? `, equity ${percent(equity)}` : "";
    return `${SHORT[seat]}: ${percent(all ? combos / all : 0)}, ${combos.toFixed(1)} combos${won}`;
  });
  const places = hands[found.seat].flatMap(({ chosen }, place) => (chosen ? [place] : []));
  const shares = kinds.mixOf(places, found.ranges[found.seat].hands.reach, spot, actions());
  const plays = shares && `${SHORT[found.seat]} plays: ${actions().map(({ word }, place) => `${word} ${percent(shares[place])}`).join(", ")}`;
  find("both-chosen").hidden = !isFiltered;
  find("both-chosen").replaceChildren(...[...lines, plays].filter(Boolean).map((line) => make("span", {}, line)));
}

function drawHand() {
  if (!found) return;
  find("both-hand").replaceChildren(classTable(kept));
  tip.draw();
}

/** What the tip of a class says: its numbers, and those of each of its hands. */
function saidOf(number) {
  const places = members(spot, number).filter((place) => SEATS.some((seat) => hands[seat][place].chosen));
  const numbers = (place) => SEATS.flatMap((seat) => [hands[seat][place].reach, hands[seat][place].equity]);
  const rows = alike(places, numbers).map((group) =>
    make(
      "tr",
      { "data-hands": group.map((place) => spot.hands[place]).join(" ") },
      make("th", { scope: "row" }, handNames(group.map((place) => spot.hands[place]))),
      numbers(group[0]).map((each) => make("td", {}, each === null ? "\u2013" : percent(each))),
    ),
  );
  const head = ["Hand", ...SEATS.flatMap((seat) => [`${SHORT[seat]} reach`, `${SHORT[seat]} equity`])];
  return [classTable(number), ...(rows.length ? [table(head, rows)] : [])];
}

function classTable(number) {
  const rows = SEATS.map((seat) => {
    const { weight, combos, equity } = classes[seat][number];
    return make(
      "tr",
      {},
      make("th", { scope: "row" }, make("span", { className: `key ${SHORT[seat]}` }), SHORT[seat]),
      make("td", {}, percent(weight)),
      make("td", {}, combos.toFixed(1)),
      make("td", {}, equity === null ? "\u2013" : percent(equity)),
    );
  });
  return table([CLASSES[number], "Reach", "Combos", "Equity"], rows);
}

function table(head, rows) {
  return make(
    "table",
    { className: "counts" },
    make("thead", {}, make("tr", {}, head.map((title) => make("th", { scope: "col" }, title)))),
    make("tbody", {}, rows),
  );
}

function select(number) {
  kept = number;
  for (const seat of SEATS) grids[seat].mark(kept);
  drawHand();
}
