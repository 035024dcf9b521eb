// Exact spots in Explore: what is asked for, how far the solve is, and where its solution goes.

import * as rangeEditor from "./rangeEditor.js";
import * as runouts from "./runouts.js";
import { ask, counted, find, make, notice } from "../../static/page.js";
import { figures, gains, lockEditor } from "./solution.js";

const TARGET = 0.1; // percent of the pot
const TARGETS = [1, 0.5, 0.2, TARGET, 0.05, 0.02, 0.01]; // that are offered
const STEEPNESS = 1.7; // exploitability falls about as iterations to the minus this
const AGAIN = 250; // ms between two looks at a solve
const BUSY = 429;
const GONE = 404;
const KEPT = 32;
const FLOP = 1;
const FIELDS = ["button", "bb"];
const SEATS = { button: "button", bb: "big blind" };
const ANY = "random"; // the range of any hand

const known = new Map(); // solutions, by query
let page = null; // what Explore does for this one
let rules = null;
let spot = null; // the strategy's, on the page
let wanted = null; // what is to be solved: line, board, button, bb, locks and target
let key = null; // of it
let state = null; // of the solve, as the server has it
let problem = "";
let agreed = null; // the key of what somebody asked to be solved
let isThere = false; // whether the solution is on the page
let turn = 0; // of the loop that looks at the solve

/**
 * `page` has `go` to an address, `link` to a spot, `query` of a spot as the strategy plays it, `arrived` with a solution
 * or null, `select` a class, and `selected`, which names it.
 */
export function start(given) {
  page = given;
  rangeEditor.start();
  drawTargets();
  runouts.start((line, board) => page.go(address(line, board)));
  find("exact-solve").addEventListener("click", () => solve({ ...filled(), target: targetChosen() }));
  find("exact-target").addEventListener("change", draw);
  find("exact-stop").addEventListener("click", stop);
  find("exact-edit").addEventListener("click", edit);
  find("exact-close").addEventListener("click", () => page.go(page.link(spot.line, spot.board)));
  find("exact-copy").addEventListener("click", copy);
}

/** A spot is on the page; the address may say what was solved. Whether a solution of it will come. */
export function enter(parameters, found, game) {
  [spot, rules] = [found, game];
  const next = read(parameters);
  const name = next && JSON.stringify(next);
  if (name !== key) {
    turn += 1;
    [wanted, key, state, problem] = [next, name, null, ""];
    drawTargets();
    if (wanted && (roundOf(wanted.line) > FLOP || agreed === key)) follow();
    else if (wanted) join();
  } else if (state?.state === "done") {
    fetchSolution();
  }
  draw();
}

/** The address of a spot, with what is solved if it follows that; `panel` is the panel's part where it is another. */
export function address(line, board, panel) {
  const follows = wanted && line.startsWith(wanted.line) && board.startsWith(wanted.board);
  return page.link(line, board, panel) + (follows ? query(wanted) : "");
}

function query({ line, button, bb, locks, target }) {
  const pairs = [
    ["solve", line],
    ["button", button],
    ["bb", bb],
    ...locks.map((lock) => ["lock", lock]),
    ["target", target === TARGET ? "" : target],
  ];
  const said = pairs.filter(([name, value]) => value !== "" || name === "solve");
  // Slashes and colons may stay as they are: links are read by people, too.
  const plain = (value) => encodeURIComponent(value).replace(/%(2F|3A|2C|3D|3B)/g, decodeURIComponent);
  return said.map(([name, value]) => `&${name}=${name === "lock" ? plain(value).replace(/=/g, "%3D") : plain(value)}`).join("");
}

function read(parameters) {
  const line = parameters.get("solve");
  if (line === null || spot.round === 0 || !spot.line.startsWith(line)) return null;
  const count = rules.board_cards.slice(0, roundOf(line) + 1).reduce((sum, each) => sum + each, 0);
  return {
    line,
    board: spot.board.slice(0, 2 * count),
    button: parameters.get("button") ?? "",
    bb: parameters.get("bb") ?? "",
    locks: parameters.getAll("lock"),
    target: Number(parameters.get("target") ?? TARGET),
  };
}

function roundOf(line) {
  return line.split("/").length - 1;
}

function fresh() {
  return { line: spot.line, board: spot.board, button: "", bb: "", locks: [], target: TARGET };
}

function targetChosen() {
  return Number(find("exact-target").value);
}

/** The targets, that of the address among them. */
function drawTargets() {
  const now = wanted?.target || TARGET;
  const offered = [...new Set([...TARGETS, now])].sort((one, other) => other - one);
  find("exact-target").replaceChildren(
    ...offered.map((target) => make("option", { value: target, selected: target === now }, `${target}% of the pot`)),
  );
}

/** What is to be solved; a seat of which no hand gets here has any hand. */
function filled() {
  const base = wanted ?? fresh();
  return { ...base, ...Object.fromEntries(unplayed().map((name) => [name, base[name] || ANY])) };
}

/** The fields of the seats of which no hand gets to the spot that is to be solved. */
function unplayed() {
  if (wanted && wanted.line !== spot.line) return [];
  return FIELDS.filter((name) => !spot.played[SEATS[name]] && !wanted?.[name]);
}

/** Solve this; the address then leads to it. */
function solve(what) {
  agreed = JSON.stringify(what);
  if (agreed === key) {
    follow();
    return;
  }
  const [line, board] = spot.line.startsWith(what.line) ? [spot.line, spot.board] : [what.line, what.board];
  page.go(page.link(line, board) + query(what));
}

function stop() {
  turn += 1;
  if (state?.id) ask("/api/exact/stop", { id: state.id }).catch(() => {}); // it may be over already
  [state, problem] = [null, "Stopped."];
  draw();
}

async function edit() {
  const base = wanted ?? fresh();
  const found = await rangeEditor.edit(base);
  if (found) solve({ ...base, ...found, target: targetChosen() });
}

async function copy() {
  try {
    await navigator.clipboard.writeText(location.href);
    say("Link copied: it leads here, with ranges and locks.");
  } catch {
    say("Copy the address of this page: it leads here, with ranges and locks.");
  }
}

/** Begin or join the solve, and look at it until it is done. */
async function follow(again = true) {
  turn += 1;
  const mine = turn;
  const gone = () => mine !== turn;
  [state, problem] = [{ state: "asked" }, ""];
  draw();
  try {
    let found = await ask("/api/exact/solve", wanted);
    while (!gone()) {
      const isNew = found.state !== state.state || found.place !== state.place;
      state = found;
      if (isNew) draw();
      drawProgress();
      if (!["waiting", "solving"].includes(state.state)) break;
      await new Promise((resume) => setTimeout(resume, AGAIN));
      if (!gone()) found = await ask(`/api/exact?id=${state.id}`);
    }
  } catch (error) {
    if (gone()) return;
    if (error.status === GONE && again) {
      follow(false); // the server was started anew, or this page slept
      return;
    }
    [state, problem] = [null, error.status === BUSY ? `${error.message}.` : error.message];
    draw();
    return;
  }
  if (!gone() && state.state === "done") await fetchSolution(again);
}

/** A flop takes minutes: an address alone begins none, but shows one that is on its way or done. */
async function join() {
  const mine = turn;
  try {
    const found = await ask("/api/exact/forecast", wanted);
    if (mine === turn && found.is_known) follow();
  } catch (error) {
    if (mine !== turn) return;
    problem = error.message;
    draw();
  }
}

async function fetchSolution(again = true) {
  const [mine, place] = [turn, spot];
  setComing(true);
  isThere = false;
  drawProgress();
  const question = new URLSearchParams({ id: state.id, line: spot.line, board: spot.board }).toString();
  try {
    if (!known.has(question)) {
      known.set(question, await ask(`/api/exact/spot?${question}`));
      if (known.size > KEPT) known.delete(known.keys().next().value);
    }
  } catch (error) {
    if (mine !== turn || place !== spot) return;
    if (error.status === GONE && again) follow(false);
    else {
      isThere = true; // nothing more comes
      drawProgress();
      notice(error.message);
    }
    return;
  }
  if (mine !== turn || place !== spot) return;
  const exact = known.get(question);
  page.arrived(exact);
  drawSolution(exact);
}

function draw() {
  const place = find("exact");
  place.hidden = !rules.solves || spot.round === 0;
  const phase = state?.state ?? "";
  const isBusy = ["asked", "waiting", "solving"].includes(phase);
  const isDone = phase === "done";
  find("exact-progress").hidden = !isBusy;
  find("exact-solve").hidden = isBusy || (isDone && targetChosen() === state.target);
  const again = wanted && (problem || isDone) ? "Solve again" : "Solve exactly";
  find("exact-solve").textContent = unplayed().length ? "Solve with any hand" : again;
  find("exact-stop").hidden = !isBusy;
  find("exact-edit").hidden = find("exact-target").parentElement.hidden = isBusy;
  find("exact-copy").hidden = find("exact-close").hidden = !wanted;
  find("exact-ranges").textContent = describe();
  if (!isDone) {
    find("solution").hidden = true;
    page.arrived(null);
    setComing(false);
    runouts.show(spot, "as the strategy plays", (line) => `/api/runouts?${page.query(line, spot.board)}`);
  }
  drawProgress();
}

function describe() {
  const edited = FIELDS.filter((name) => wanted?.[name]).map((name) => (name === "bb" ? "big blind" : name));
  const ranges = edited.length ? `Range edited: ${edited.join(" and ")}.` : "";
  const from = wanted && wanted.line !== spot.line ? `Solved from ${wanted.line} on.` : "";
  const count = wanted?.locks.length ?? 0;
  const locks = count ? `${counted(count, "decision")} locked.` : "";
  return [ranges, locks, from].filter(Boolean).join(" ");
}

function drawProgress() {
  const share = progressOf(state);
  const bar = find("exact-progress");
  bar.firstElementChild.style.setProperty("--share", share);
  bar.setAttribute("aria-valuenow", Math.round(100 * share));
  say(said());
}

/** Of a solve, 0 to 1, by the iterations that the target will take. */
function progressOf(now) {
  if (now?.state !== "solving") return 0;
  if (now.most_iterations) return Math.min(1, now.iterations / now.most_iterations);
  if (now.percent === null) return Math.min(0.9, now.iterations / now.expected_iterations);
  return Math.min(1, (now.target / now.percent) ** (1 / STEEPNESS));
}

function said() {
  if (problem || state?.state === "failed") return problem || `Not solved: ${state.problem}`;
  if (!state && unplayed().length) {
    const seats = unplayed().map((name) => SEATS[name]);
    return `No hand of the ${seats.join(" or the ")} gets here. The solve can give the seat any hand.`;
  }
  if (!state) {
    return spot.round === FLOP
      ? "Solves the spot without buckets, for both ranges that get here. A flop takes minutes and goes on when you leave."
      : "Solves the spot without buckets, for both ranges that get here. It takes seconds.";
  }
  const left = state.can_be_left ? " It goes on when you leave." : "";
  if (state.state === "asked") return "Working out how long the solve takes\u2026";
  if (state.state === "waiting") return `Waiting: ${state.place <= 1 ? "next in turn" : `place ${state.place}`}.${left}`;
  if (state.state === "done") return isThere ? "" : "Solved. Working out what hands win\u2026";
  if (!state.iterations) return `Preparing tables, ${state.seconds.toFixed(0)} s.${left}`;
  const so = state.percent === null ? "" : `, ${Number(state.percent.toPrecision(2))}% of the pot exploitable`;
  return `${state.iterations} iterations in ${state.seconds.toFixed(0)} s${so}.${left}`;
}

function say(text) {
  const place = find("exact-said");
  if (place.textContent !== text) place.textContent = text;
}

/** What is shown of the solution is of the spot before, and cannot be used. */
function setComing(isComing) {
  find("solution").inert = find("runouts").inert = isComing;
}

function drawSolution(exact) {
  const path = exact.line.slice(wanted.line.length);
  const change = (locks) => solve({ ...wanted, locks });
  find("solution").replaceChildren(
    ...figures(state.result, state.target),
    ...lockEditor(exact, path, wanted.locks, change, page.selected),
    ...gains(exact, page.select),
  );
  find("solution").hidden = false;
  setComing(false);
  isThere = true;
  drawProgress();
  const { id } = state;
  runouts.show(exact, "as solved", (line) => `/api/exact/runouts?${new URLSearchParams({ id, board: exact.board, line })}`);
}
