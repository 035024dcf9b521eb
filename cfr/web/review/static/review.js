// Review: a log is dropped; the server says what each decision lost; mistakes first, each a link to its spot.

import { link, spotLink } from "../../static/links.js";
import { ask, capital, find, game, inline, make, ordered, percent, said, signed, tone } from "../../static/page.js";
import { tendency } from "../../static/result.js";
import { segments } from "../../static/segments.js";
import { inTurn } from "../../static/turns.js";

const AGAIN = 400; // ms between two looks at a review
const LATER = 3000; // ms until a busy server is asked again
const BUSY = 429;
const GONE = 404;
const UNDER_WAY = ["waiting", "reading", "valuing"];
const FORMATS = "ACPC (.log), PHH (.phh, .phhs) or a card room's fixed limit (.txt, .xml)";
const ROUNDS = { "": "All rounds", preflop: "Preflop", flop: "Flop", turn: "Turn", river: "River" };
const KINDS = {
  "": "All decisions",
  "check-bet": "Check or bet",
  "fold-call-raise": "Fold, call or raise",
  "fold-call": "Fold or call",
};
const TENDENCIES = { vpip: "VPIP", pfr: "PFR", aggression: "Aggression" };
const WHAT = {
  vpip: "Hands in which the first decision puts chips in of free will",
  pfr: "Hands in which the first decision raises",
  aggression: "Bets and raises, of the bets, raises, calls and folds from the flop on",
};
const LUCK =
  "What the hands are worth without the luck of the cards: what each card changes on average is taken out (AIVAT). It " +
  "needs the cards of both players in every hand.";

let go = null;
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
  const file = find("review-file");
  file.addEventListener("change", () => {
    if (file.files.length) take(file.files[0]);
    file.value = ""; // the same file may come again
  });
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
  // The browser would open a log that is dropped beside the place for it.
  for (const name of ["dragover", "drop"]) {
    document.addEventListener(name, (event) => {
      if (find("review").hidden) return;
      event.preventDefault();
      find("review-drop").classList.toggle("over", name === "dragover");
      if (name === "drop" && event.dataTransfer.files.length) take(event.dataTransfer.files[0]);
    });
  }
  document.addEventListener("dragleave", () => find("review-drop").classList.remove("over"));
}

export function show() {
  document.title = "Review \u2013 cfr";
  return attempt(async () => {
    limits = (await game).review_limits;
    const kept = remembered();
    if (!state && kept) await join(kept);
  });
}

/** `O` asks for a log, `J` and `K` go through the decisions. */
export function key(name, repeated) {
  const pressed = name.toLowerCase();
  if (pressed === "o" && !repeated && !underWay()) {
    find("review-file").click();
    return true;
  }
  const step = { j: 1, k: -1 }[pressed];
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
    turn += 1;
    [state, found, problem] = [null, null, ""];
    if (limits && file.size > limits.bytes) {
      problem = `${file.name}: ${grouped(file.size)} bytes; a log may have ${grouped(limits.bytes)}`;
      return;
    }
    try {
      state = await ask("/api/review/start", { name: file.name, text: decoded(await file.arrayBuffer()) });
      remember(state.id);
      watch();
    } catch (error) {
      problem = error.message;
    }
  });
}

/** The text of a log: UTF-16 where its mark or its nulls say so, else UTF-8, else cp1252, as in cfr/system/decoded.py. */
function decoded(buffer) {
  const bytes = new Uint8Array(buffer);
  const nulls = (first) => {
    const some = bytes.slice(0, 400).filter((_, place) => place % 2 === first);
    return some.length > 1 && some.filter((each) => each === 0).length > 0.8 * some.length;
  };
  const marked = (one, other) => bytes[0] === one && bytes[1] === other;
  if (marked(0xff, 0xfe) || nulls(1)) return new TextDecoder("utf-16le").decode(buffer);
  if (marked(0xfe, 0xff) || nulls(0)) return new TextDecoder("utf-16be").decode(buffer);
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(buffer);
  } catch {
    return new TextDecoder("windows-1252").decode(buffer);
  }
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
  drawTotals(state.players[player]);
}

/** A whole number with commas. */
function grouped(number) {
  return number.toLocaleString("en");
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
  const read = `${grouped(state.hands)} hand${state.hands === 1 ? "" : "s"} reviewed.`;
  return [read, ...(state.skipped?.text ?? [])].join("\n");
}

function drawList() {
  const { count, ev_lost_mbb: lost, decisions, more } = found;
  const what = shows === "mistakes" ? "mistake" : "decision";
  find("review-count").textContent =
    `${grouped(count)} ${what}${count === 1 ? "" : "s"}` + (lost === null ? "" : `, ${bigBlinds(lost)} bb lost`);
  const none = shows === "mistakes" ? "No mistakes here." : "No decisions here.";
  find("review-list").replaceChildren(
    ...(decisions.length ? decisions.map(row) : [make("li", { className: "faint" }, none)]),
  );
  find("review-more").hidden = !more;
}

function row(each) {
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
        make("span", { className: "faint" }, `did ${said(did)}, hand ${each.number}`),
        each.stand_in ? make("span", { className: "faint" }, `EV against a ${each.stand_in}: the opponent never comes here`) : null,
      ),
    ),
    each.board
      ? spotLink(
          `${address}&solve=${each.line}`,
          { className: "text-button", title: "Solve this spot exactly", "aria-label": `Solve hand ${each.number} exactly` },
          go,
          "Solve",
        )
      : null,
  );
}

function bigBlinds(mbb) {
  return (mbb / 1000).toLocaleString("en", { maximumFractionDigits: 3, minimumFractionDigits: 3 });
}

function drawTotals(totals) {
  find("review-totals").replaceChildren(
    make("h2", {}, "Result"),
    ...figure(totals, "", "big blinds per 100 hands"),
    ...figure(totals.luck_adjusted, "adjusted", "big blinds per 100 hands, without the luck of the cards"),
    ...(totals.luck_adjusted.hands > 1
      ? [make("details", { className: "explain" }, make("summary", {}, "What is this?"), make("p", {}, LUCK))]
      : []),
  );
  find("review-lost").replaceChildren(
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
      ["All", totals.decisions, mistakes(totals), totals.ev_lost_mbb === null ? "\u2013" : bigBlinds(totals.ev_lost_mbb)],
    ]),
  );
  find("review-tendencies").replaceChildren(
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
      ? make("p", { className: "faint" }, `${grouped(totals.unseen)} decisions with cards that are not in the log are left out.`)
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
      make("small", {}, `${words}, ${grouped(hands)} hands${interval === null ? ", too few for an interval" : ""}`),
    ),
  ];
}

function groups(totals, names) {
  return Object.entries(totals).map(([name, each]) => [
    names[name] ?? capital(name),
    each.decisions,
    each.mistakes,
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
