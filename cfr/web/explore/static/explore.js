// Explore: the betting line, the 13x13 grid of a spot, and the exact numbers of each hand.

import * as bothRanges from "./bothRanges.js";
import { classOf, drawDetail, handsOf } from "./detail.js";
import * as downloads from "./downloads.js";
import * as flops from "./flops.js";
import { handGrid } from "./grid.js";
import { drawLine } from "./line.js";
import { ROUNDS, ask, capital, cards, find, game, inline, make, notice, ordered } from "../../static/page.js";
import { link } from "../../static/links.js";
import * as panels from "./panels.js";
import * as picker from "./picker.js";
import * as saved from "./saved.js";
import { segments } from "../../static/segments.js";
import { drawGrid as drawCells, legal, word } from "./spotGrid.js";
import * as strategies from "./strategies.js";
import * as tip from "./tip.js";
import { drawTotals } from "./totals.js";
import { callOff, fetchAhead, fetchValues } from "../../static/values.js";

const KEPT = 64;

const known = new Map(); // answers of the server, by query
let grid = null; // its cells, and what marks the one that is kept
let go = null;
let solve = null; // exact solutions of spots, which another part of the page brings
let rules = null;
let spot = null; // what is shown: the strategy's, or the exact one
let played = null; // the spot, as the strategy plays it
let rival = null; // the same spot of the strategy that it is compared with
let exact = null; // the solved one, if it is there
let source = "exact"; // which is shown of the two, or both
let kept = 0; // the class that is selected
let chosen = false; // whether somebody selected it
let view = "mix"; // what the grid shows: the mix, or expected values
let choose = null; // a view
let unit = "bb"; // of expected values
let height = "reach"; // of the bars: how much of a hand gets here, or that relative to the hand of which most does
let asked = "";
let shown = Promise.resolve(); // the spot that is being fetched and drawn
let typed = Promise.resolve(); // the keys that were pressed

/** `navigate` goes to an address; `solver` is the module of exact solutions. */
export function start(navigate, solver) {
  [go, solve] = [navigate, solver];
  picker.start();
  saved.start(navigate);
  find("saved-open").addEventListener("click", save);
  grid = handGrid(find("grid"), ["bars", "bars theirs"], select, (number) => (spot ? handsOf(...told(number)) : []));
  choose = segments("view", "view", Object.entries({ mix: "Frequencies", ev: "EV" }), (chosen) => {
    view = chosen;
    if (spot) drawGrid();
  });
  segments("source", "source", Object.entries({ exact: "Exact", compare: "Compare", strategy: "Strategy" }), (chosen) => {
    source = chosen;
    if (spot) refresh();
  });
  downloads.start(
    () => ({ query: strategies.query(spot.line, spot.board), view: played.has_values ? view : "mix" }),
    () => ({ hands: spot.hands, weights: spot.reach, classOf, board: spot.board }),
  );
  bothRanges.start();
  strategies.start(() => go(solve.address(spot.line, spot.board)));
  solve.start({ go, link: here, query: strategies.query, arrived, select, selected: () => spot.classes[kept] });
  segments("height", "height", Object.entries({ reach: "Reach", relative: "Relative" }), (chosen) => {
    height = chosen;
    if (spot) drawGrid();
  });
  segments("unit", "unit", Object.entries({ bb: "bb", mbb: "mbb" }), (chosen) => {
    unit = chosen;
    if (spot) drawHand();
  });
}

/** Show what is saved; the spot on the page may be saved, with its solve, the panel and the selected hand. */
function save() {
  if (!spot) return;
  const hand = chosen ? [["hand", handOf(kept)]] : [];
  const address = solve.address(spot.line, spot.board, [...panels.pairsOf(panels.name()), ...hand]);
  saved.open([find("title").textContent, spot.board].filter(Boolean).join(", "), address);
}

/** A hand of a class, for an address. */
function handOf(number) {
  return ordered(spot.hands.find((hand) => classOf(hand) === spot.classes[number]));
}

/** Where the view was last, for the tab. */
export function address() {
  return spot ? solve.address(spot.line, spot.board) : null;
}

/** The address of a spot, of the strategies that are chosen, and of the panel that is shown or another. */
function here(line, board, panel = panels.pairsOf(panels.name())) {
  return link(line, board, "", [...strategies.pairs(), ...panel]);
}

export function show(parameters) {
  shown = display(parameters);
  return shown;
}

async function display(parameters) {
  find("explore").ariaBusy = "true";
  if (!rules) {
    rules = await game;
    flops.start({ link: (line, board) => here(line, board, []), query: (line) => strategies.query(line, "") }, rules);
  }
  strategies.read(parameters, rules);
  const [line, board, other] = [parameters.get("line") ?? "", parameters.get("board") ?? "", strategies.comparedName()];
  const fetchBoth = (...at) =>
    Promise.all([strategies.query(...at), ...(other ? [strategies.query(...at, other)] : [])].map(fetchSpot));
  const both = `${strategies.query(line, board)} ${other}`;
  let missing = 0; // cards that the address lacks
  asked = both;
  try {
    const found = await fetchBoth(line, board);
    if (asked !== both) return; // somebody clicked on in the meantime
    [played, rival = null] = found;
    notice();
  } catch (error) {
    if (asked !== both) return;
    const nearest = error.nearest ?? (played ? null : { line: "", board: "" });
    if (nearest) [played, rival = null] = await fetchBoth(nearest.line, nearest.board);
    if (asked !== both) return;
    missing = nearest?.missing ?? 0;
    const instead = nearest && (nearest.line ? "This is as far as the address leads." : "This is the first decision instead.");
    notice([`${error.message}${instead ? "." : ""}`, instead].filter(Boolean).join(" "));
  }
  exact = null;
  const hand = spotClass(parameters.get("hand") ?? "");
  if (hand >= 0) [kept, chosen] = [hand, true];
  refresh();
  solve.enter(parameters, played, { ...rules, solves: rules.solves && strategies.isFirst() });
  panels.read(parameters, rules, (pairs) => solve.address(played.line, played.board, pairs));
  tip.draw();
  find("explore").ariaBusy = "false";
  const drawn = played;
  for (const each of [callOff, bothRanges.leave, flops.leave]) each();
  if (panels.name() === "ranges") bothRanges.show(drawn, strategies.query(drawn.line, drawn.board));
  else if (panels.name() === "flops") flops.show(drawn.line);
  else showValues(drawn);
  if (missing) visit(line, cards(board).length + missing);
}

/** Fetch expected values, draw them, and fetch those of the likeliest next spots. */
function showValues(drawn) {
  const arrived = () => {
    if (drawn === played && rival) refresh();
    else if (drawn === spot) drawValues();
    fetchAhead(likely(drawn), fetchSpot);
  };
  const hears = (share) => {
    if (drawn === spot) find("progress").querySelector(".solving")?.firstElementChild.style.setProperty("--share", share);
  };
  fetchValues(drawn, strategies.query(drawn.line, drawn.board), arrived, hears);
}

/** The class of a hand such as AsKh; -1 for anything else. */
function spotClass(hand) {
  return played.classes.indexOf(classOf(hand));
}

/** A solution of the spot on the page is there, or none is any more. */
function arrived(found) {
  if (found === exact) return;
  exact = found;
  refresh();
}

/** The same spot, as it is played by whom the reader wants to see. */
function refresh() {
  const own = rival ? strategies.beside(played, rival, strategies.comparedName()) : played;
  spot = exact && source !== "strategy" ? exact : own;
  find("source").hidden = !exact;
  draw();
}

/** The queries of the spots that follow on the same board, the likeliest first. */
function likely(drawn) {
  return drawn.actions
    .filter((action) => action.line && action.share > 0 && action.board_cards === cards(drawn.board).length)
    .sort((one, other) => other.share - one.share)
    .map((action) => strategies.query(action.line, drawn.board));
}

async function fetchSpot(query) {
  if (!known.has(query)) {
    known.set(query, await ask(`/api/spot?${query}`));
    if (known.size > KEPT) known.delete(known.keys().next().value);
  }
  return known.get(query);
}

/** Keys wait for the spot that they are meant for: who knows the way types ahead. */
export function key(name) {
  const pressed = name.toLowerCase();
  if (pressed === "escape") return tip.close();
  if (!["f", "c", "r", "e", "s", "backspace", "1", "2", "3"].includes(pressed)) return false;
  typed = typed.then(() => press(pressed)).catch((error) => notice(error.message));
  return true;
}

async function press(pressed) {
  let awaited;
  do {
    awaited = shown;
    await awaited;
  } while (awaited !== shown); // somebody clicked on in the meantime
  if (find("explore").hidden) return;
  if (panels.ofKey(pressed) !== undefined) {
    await go(solve.address(spot.line, spot.board, panels.pairsOf(panels.ofKey(pressed))));
    return;
  }
  if (pressed === "s") {
    save();
    return;
  }
  if (pressed === "e") {
    choose(view === "ev" ? "mix" : "ev");
    return;
  }
  if (pressed === "backspace") {
    const last = spot.steps.at(-1);
    if (last) await visit(last.line, last.board_cards);
    return;
  }
  const action = spot.actions.find((each) => each.letter === pressed);
  if (action?.line) await visit(action.line, action.board_cards);
}

/** Go to a line; asks for the board cards that it needs and that are not there yet. */
async function visit(line, count) {
  let board = cards(spot.board).slice(0, count);
  if (board.length < count) {
    const missing = count - board.length;
    const next = { 0: [3, "the flop"], 3: [1, "the turn card"], 4: [1, "the river card"] }[board.length];
    const picked = await picker.pick(`Choose ${next?.[0] === missing ? next[1] : `the next ${missing} cards`}`, missing, board);
    if (!picked) return;
    board = [...board, ...cards(picked)];
  }
  await go(solve.address(line, board.join("")));
}

async function change(start, count) {
  const board = cards(spot.board);
  const others = board.filter((_, place) => place < start || place >= start + count);
  const picked = await picker.pick(count === 3 ? "Change the flop" : "Change the card", count, others);
  if (!picked) return;
  board.splice(start, count, ...cards(picked));
  go(solve.address(spot.line, board.join("")));
}

function draw() {
  const where = spot.round ? `on the ${ROUNDS[spot.round].toLowerCase()}` : "preflop";
  const last = spot.steps.at(-1);
  const facing = last?.letter === "r" && last.round === spot.round;
  find("title").textContent = `${capital(spot.seat)} ${facing ? `facing a ${last.word}` : "to act"} ${where}`;
  find("subtitle").replaceChildren(`pot ${spot.pot}`, ...(spot.board ? [", board ", ...inline(spot.board)] : []));
  drawUnplayed();
  if (!find("explore").hidden) document.title = `${find("title").textContent} \u2013 cfr`;
  if (!chosen)
    kept = spot.weight.indexOf(Math.max(...spot.weight));
  drawLine(spot, rules, { visit, change, restart: () => go(here("", "")) });
  drawValues();
}

/** Say against what the EVs are where the other seat never comes. */
function standsIn() {
  if (!spot.has_values) return "So there are no EVs.";
  return spot.board
    ? "EVs are against its presumed range."
    : "EVs are rough: against its presumed range, checked down from the flop on.";
}

/** Say who never plays the line. */
function drawUnplayed() {
  const other = Object.keys(spot.played).find((seat) => seat !== spot.seat);
  const own = spot.played[spot.seat]
    ? ""
    : `Never played: no hand of the ${spot.seat} gets here. Hatched is what it would do.`;
  const against = spot.played[other] ? "" : `The ${other} never plays this line. ${standsIn()}`;
  find("unplayed").textContent = [own, against].filter(Boolean).join(" ");
  find("unplayed").hidden = !own && !against;
  find("explore").classList.toggle("never", Boolean(own));
}

/** All that changes when the expected values arrive. */
function drawValues() {
  drawTotals(spot, visit);
  drawGrid();
  drawHand();
  drawProgress();
}

function drawHand() {
  if (!spot) return; // a cell can be touched before the first spot is there
  drawDetail(...told(kept));
  tip.draw();
}

/** What `handsOf` is to know of a class. */
function told(number) {
  return [spot, number, legal(spot).map((name) => ({ name, word: word(spot, name) })), unit];
}

function drawProgress() {
  const progress = find("progress");
  const waiting = spot.has_values && !spot.values && !spot.problem;
  progress.classList.toggle("waiting", waiting);
  progress.replaceChildren(
    ...(waiting
      ? [
          ["Working out EVs: the first ones take some seconds", "Working out EVs: on the flop this takes some seconds"][spot.round] ??
            "Working out EVs",
          make("span", { className: "solving", "aria-hidden": "true" }, make("span", {})),
        ]
      : spot.problem
        ? [`No EVs: ${spot.problem}`]
        : spot.has_values
          ? []
          : [
              "No EVs: ",
              ...spot.why_unvalued.split("`").map((text, n) => (n % 2 ? make("code", {}, text) : text)),
              ".",
            ]),
  );
}

function drawGrid() {
  drawCells(grid.cells, spot, { view, source, height, exact });
  grid.mark(kept);
}

function select(number) {
  if (number === kept && chosen) return;
  [kept, chosen] = [number, true];
  grid.mark(kept);
  drawHand();
}
