// Review: a log is dropped, or a database is there; what each decision lost, mistakes first, each a link to its spot.

import { FORMATS, decoded, takeLogs } from "../../static/logs.js";
import { ask, askText, capital, counted, find, game, grouped, make } from "../../static/page.js";
import { segments } from "../../static/segments.js";
import { inTurn } from "../../static/turns.js";
import * as database from "./database.js";
import { KINDS, ROUNDS, bigBlinds, row } from "./row.js";
import { drawTotals } from "./totals.js";

const AGAIN = 400; // ms between two looks at a review
const LATER = 3000; // ms until a busy server is asked again
const BUSY = 429;
const GONE = 404;
const UNDER_WAY = ["waiting", "reading", "valuing"];
const SOURCES = ["database", "log"];

let go = null;
let source = "log"; // what is reviewed
let chooseSource = null; // null where there is no database
let limits = null; // of a log: hands and bytes
let state = null; // of the review, as the server has it
let problem = "";
let turn = 0; // of the loop that looks at the review
let player = 0;
let shows = "mistakes";
let found = null; // the decisions that are shown, with their count and sum
const { attempt } = inTurn("review", () => game, recover, draw);

export function start(navigate) {
  go = navigate;
  database.start(go, attempt);
  takeLogs("review", take);
  find("review-stop").addEventListener("click", stop);
  for (const [name, options] of [
    ["round", ROUNDS],
    ["kind", KINDS],
  ]) {
    find(`review-${name}`).replaceChildren(
      ...Object.entries(options).map(([value, text]) => make("option", { value }, text)),
    );
    find(`review-${name}`).addEventListener("change", () => attempt(list));
  }
  find("review-player").addEventListener("change", () => {
    player = Number(find("review-player").value);
    attempt(list);
  });
  segments("review-shows", "review-shows", [["mistakes", "Mistakes"], ["all", "All"]], (chosen) => {
    shows = chosen;
    if (state?.state === "done") attempt(list);
  });
  find("review-more").addEventListener("click", () => attempt(() => list(found.decisions.length)));
}

export function show(query) {
  document.title = "Review \u2013 cfr";
  return attempt(async () => {
    const rules = await game;
    limits = rules.review_limits;
    if (rules.database && !chooseSource) offer(rules.database);
    if (query?.has("played")) return takePlayed();
    if (source === "database") return database.show();
    const kept = remembered();
    if (!state && kept) await join(kept);
    return null;
  });
}

/** A choice between the database of this name and a log. */
function offer(name) {
  const names = [name, "A log"];
  chooseSource = segments("review-source", "review-source", SOURCES.map((each, place) => [each, names[place]]), (chosen) => {
    source = chosen;
    for (const [id, value] of [["database", "database"], ["review-log", "log"]]) find(id).hidden = value !== chosen;
    if (chooseSource) show();
  });
  find("review-source").hidden = false;
}

/** `O` asks for a log, `J` and `K` go through the decisions. */
export function key(name, repeated) {
  const pressed = name.toLowerCase();
  const step = { j: 1, k: -1 }[pressed];
  if (source === "database" && step) {
    database.step(step);
    return true;
  }
  if (pressed === "o" && !repeated && !underWay()) {
    find("review-file").click();
    return true;
  }
  const rows = [...document.querySelectorAll("#review-list .lost-link")];
  if (!step || !rows.length) return false;
  const next = rows.indexOf(document.activeElement) + step;
  rows[Math.min(Math.max(next, 0), rows.length - 1)].focus();
  return true;
}

function underWay() {
  return state !== null && UNDER_WAY.includes(state.state);
}

function remembered() {
  try {
    return localStorage.getItem("review");
  } catch {
    return null; // storage may be off
  }
}

function remember(id) {
  try {
    if (id) localStorage.setItem("review", id);
    else localStorage.removeItem("review");
  } catch {
    /* storage may be off */
  }
}

async function recover() {
  await list().catch(() => null);
}

function take(file) {
  return attempt(async () => {
    chooseSource?.("log");
    turn += 1;
    [state, found, problem] = [null, null, ""];
    if (limits && file.size > limits.bytes) {
      problem = `${file.name}: ${grouped(file.size)} bytes; a log may have ${grouped(limits.bytes)}`;
      return;
    }
    try {
      state = await ask("/api/review/start", { name: file.name, text: await decoded(file) });
      remember(state.id);
      watch();
    } catch (error) {
      problem = error.message;
    }
  });
}

/** The hands that were played at the table, the last ones where there are too many. */
async function takePlayed() {
  history.replaceState(null, "", "/review"); // to come back to the review, not to begin it again
  const lines = (await askText("/api/hands.log")).split("\n").filter(Boolean);
  const kept = lines.slice(-limits.hands);
  const name = kept.length < lines.length ? `your last ${kept.length} hands.log` : "your hands.log";
  take(new File([`${kept.join("\n")}\n`], name));
}

async function join(id) {
  try {
    state = await ask(`/api/review?id=${id}`);
  } catch (error) {
    if (error.status !== GONE) throw error;
    remember(null);
    return;
  }
  if (underWay()) watch();
  else await arrive();
}

async function stop() {
  turn += 1;
  const { id } = state;
  [state, problem] = [null, "Cancelled."];
  remember(null);
  draw();
  await ask("/api/review/stop", { id }).catch(() => {}); // it may be over already
}

/** Look at the review until it is over. */
async function watch() {
  turn += 1;
  const mine = turn;
  while (mine === turn && underWay()) {
    draw();
    const next = await new Promise((resume) => setTimeout(resume, AGAIN))
      .then(() => (mine === turn ? ask(`/api/review?id=${state.id}`) : {}))
      .catch((error) => ({ error }));
    if (mine !== turn) return;
    if (next.error?.status === BUSY) {
      await new Promise((resume) => setTimeout(resume, LATER));
    } else if (next.error) {
      [state, problem] = [null, next.error.message];
      remember(null);
    } else {
      state = next;
    }
  }
  if (mine === turn) attempt(arrive);
}

/** The review is over. */
async function arrive() {
  if (state?.state !== "done") return;
  const most = Math.max(...state.players.map((each) => each.decisions));
  player = Math.max(
    state.players.findIndex((each) => each.decisions === most),
    0,
  );
  find("review-player").replaceChildren(
    ...state.players.map((each, value) => make("option", { value, selected: value === player }, each.player)),
  );
  await list();
}

async function list(offset = 0) {
  if (state?.state !== "done" || !state.players.length) return;
  const asked = new URLSearchParams({
    id: state.id,
    player,
    round: find("review-round").value,
    kind: find("review-kind").value,
    mistakes: shows === "mistakes" ? 1 : 0,
    offset,
  });
  const page = await ask(`/api/review/decisions?${asked}`);
  found = offset ? { ...page, decisions: [...found.decisions, ...page.decisions] } : page;
}

function draw() {
  const isDone = state?.state === "done";
  find("review-stop").hidden = !underWay();
  find("review-choose").hidden = underWay();
  find("review-drop").classList.toggle("wrong", Boolean(problem) || state?.state === "failed");
  find("review-name").textContent = state ? state.name : "Drop a log here";
  find("review-said").textContent = saying();
  const bar = find("review-progress");
  bar.hidden = !underWay();
  const share = state?.total ? state.done / state.total : 0;
  bar.firstElementChild.style.setProperty("--share", share);
  bar.setAttribute("aria-valuenow", Math.round(100 * share));
  for (const each of document.querySelectorAll(".review-export")) {
    each.hidden = !isDone;
    each.href = isDone ? `/api/review.${each.dataset.format}?id=${state.id}` : "";
  }
  find("review-body").hidden = !isDone || !state.players.length;
  if (!isDone || !found) return;
  drawList();
  drawTotals(state.players[player], "review");
}

function saying() {
  if (problem) return problem;
  if (!state) return limits ? `${FORMATS}, up to ${grouped(limits.hands)} hands.` : `${FORMATS}.`;
  if (state.state === "waiting") return `Waiting: ${state.place <= 1 ? "next in turn" : `place ${state.place}`}.`;
  if (state.state === "reading") return "Reading\u2026";
  if (state.state === "valuing") {
    const forecast = state.forecast && `${capital(state.forecast)}. `;
    return `${forecast}${grouped(state.done)} of ${grouped(state.total)} spots. It goes on when you leave.`;
  }
  if (state.state === "failed") return state.problem;
  const read = `${counted(state.hands, "hand")} reviewed.`;
  return [read, ...(state.skipped?.text ?? [])].join("\n");
}

function drawList() {
  const { count, ev_lost_mbb: lost, decisions, more } = found;
  const what = shows === "mistakes" ? "mistake" : "decision";
  find("review-count").textContent =
    counted(count, what) + (lost === null ? "" : `, ${bigBlinds(lost)} bb lost`);
  const none = shows === "mistakes" ? "No mistakes here." : "No decisions here.";
  find("review-list").replaceChildren(
    ...(decisions.length ? decisions.map((each) => row(each, go, state.id)) : [make("li", { className: "faint" }, none)]),
  );
  find("review-more").hidden = !more;
}
