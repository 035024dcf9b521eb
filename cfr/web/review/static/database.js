// Review of a database that `cfr serve --db` names: filters, a list of any length, and a player's totals.

import { ask, askUntilThere, counted, find, game, grouped, make, notice } from "../../static/page.js";
import { ROUNDS, bigBlinds, row } from "./row.js";
import { drawTotals } from "./totals.js";
import { WindowedList } from "./windowed.js";

const PART = 100; // rows of an answer
const SIZES = [
  ["mistakes", "All mistakes"],
  ["100", "Mistakes from 0.1 bb"],
  ["250", "Mistakes from 0.25 bb"],
  ["500", "Mistakes from 0.5 bb"],
  ["1000", "Mistakes from 1 bb"],
  ["all", "All decisions"],
];
const FILTERS = ["player", "size", "round", "line", "since", "until"];

let about = null; // what the database has, as the server says it
let list = null;
let asked = null; // what the list shows
let calling = new AbortController(); // of the totals

/** `go` visits an address; `attempt` does one thing after the other. */
export function start(go, attempt) {
  list = new WindowedList("database-list", PART, rowsFrom, (each) => row(each, go));
  for (const [name, options] of [
    ["size", SIZES],
    ["round", Object.entries(ROUNDS)],
  ]) {
    fill(name, options.map(([value, text]) => make("option", { value }, text)));
  }
  for (const name of FILTERS) field(name).addEventListener("change", () => attempt(choose));
}

/** What the database has; it may have grown since. */
export async function show() {
  const found = await ask("/api/database");
  const isFirst = about === null;
  if (about?.hands === found.hands) return;
  about = found;
  const player = isFirst ? (about.players[0]?.player ?? "") : field("player").value;
  fill("player", [
    make("option", { value: "" }, "All players"),
    ...about.players.map((each) =>
      make("option", { value: each.player }, `${each.player} (${counted(each.hands, "hand")})`),
    ),
  ]);
  field("player").value = player;
  if (isFirst && !about.has_ev) [field("size").value, field("size").disabled] = ["all", true]; // no mistake is known
  if (isFirst) fill("line", lines((await game).flop_lines));
  for (const name of ["since", "until"]) {
    field(name).parentElement.hidden = !about.days;
    [field(name).min, field(name).max] = about.days ?? ["", ""];
  }
  find("database-said").textContent = saying();
  await choose();
}

/** `J` and `K` go through the decisions. */
export function step(by) {
  list.go(by);
}

function field(name) {
  return find(`database-${name}`);
}

function fill(name, options) {
  field(name).replaceChildren(...options);
}

/** The spots before the flop, and the pots that come to a flop. */
function lines(flopLines) {
  const before = new Map();
  for (const { words } of flopLines) {
    for (let end = 0; end < words.length; end += 1) before.set(letters(words.slice(0, end)), words.slice(0, end));
  }
  const option = (value, text) => make("option", { value }, text);
  const spots = [...before].sort(([a], [b]) => a.length - b.length);
  return [
    option("", "All betting"),
    make(
      "optgroup",
      { label: "Before the flop" },
      spots.map(([line, words]) => option(line || "-", words.length ? `after ${words.join(", ")}` : "first in")),
    ),
    make(
      "optgroup",
      { label: "From the flop on" },
      flopLines.map(({ line, words }) => option(`${line}*`, words.join(", "))),
    ),
  ];
}

function letters(words) {
  return words.map((word) => ({ fold: "f", check: "c", call: "c" })[word] ?? "r").join("");
}

function saying() {
  const { hands, days, skipped, has_ev: hasEv } = about;
  const left = Object.entries(skipped);
  const count = left.reduce((sum, [, each]) => sum + each, 0);
  return [
    counted(hands, "hand"),
    days ? `, ${days[0]} to ${days[1]}` : "",
    count ? `; ${grouped(count)} skipped: ${left.map(([why, each]) => `${grouped(each)} ${why}`).join(", ")}` : "",
    hasEv ? "." : ", reviewed without EVs: no mistake is known.",
  ].join("");
}

/** The query of what is chosen. */
function chosen(names) {
  const query = new URLSearchParams(names.map((name) => [name, field(name).value]));
  const size = query.get("size");
  query.delete("size");
  if (size && size !== "all") query.set("mistakes", 1);
  if (Number(size)) query.set("lost", size);
  return query;
}

/** The list and the totals of what is chosen. */
async function choose() {
  const query = chosen(FILTERS);
  const { count, ev_lost_mbb: lost, decisions } = await ask(`/api/database/decisions?${query}`);
  asked = query;
  const what = field("size").value === "all" ? "decision" : "mistake";
  find("database-count").textContent =
    counted(count, what) + (lost === null ? "" : `, ${bigBlinds(lost)} bb lost`);
  list.fill(count, decisions);
  drawSide();
}

async function rowsFrom(offset, signal) {
  return (await askUntilThere(`/api/database/decisions?${asked}&offset=${offset}`, signal)).decisions;
}

/** The totals come after the list: they take longer. */
async function drawSide() {
  const query = `${chosen(["player", "since", "until"])}`;
  const place = find("database-side");
  if (place.dataset.query === query) return;
  calling.abort();
  calling = new AbortController();
  const { signal } = calling;
  [place.dataset.query, place.hidden, place.ariaBusy] = [query, !field("player").value, "true"];
  if (place.hidden) return;
  try {
    drawTotals(await askUntilThere(`/api/database/totals?${query}`, signal), "database");
    place.ariaBusy = "false";
  } catch (error) {
    if (signal.aborted) return;
    place.dataset.query = "";
    notice(error.message);
  }
}
