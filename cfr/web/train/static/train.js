// Train: decisions against the strategy, what each one loses, a score, and mistakes again. The server deals and judges.

import { written } from "../../static/values.js";
import { link, spotLink } from "../../static/links.js";
import { Felt, botSaid, ending } from "../../static/felt.js";
import { history } from "../../static/history.js";
import { ask, capital, find, game, inline, make, notice, ordered, percent, said, signed, tone } from "../../static/page.js";
import { segments } from "../../static/segments.js";
import { inTurn } from "../../static/turns.js";

const MODES = [
  ["spots", "Single spots"],
  ["hands", "Whole hands"],
];
const FILTERS = {
  seat: { any: "Both seats", button: "Button", bb: "Big blind" },
  round: { any: "All rounds", preflop: "Preflop", flop: "Flop", turn: "Turn", river: "River" },
  flop: { any: "All flops", paired: "Paired", monotone: "Monotone", "two-tone": "Two-tone", rainbow: "Rainbow" },
  decision: {
    any: "All decisions",
    "check-bet": "Check or bet",
    "fold-call-raise": "Fold, call or raise",
    "fold-call": "Fold or call",
  },
};
const KEYS = { f: "F", c: "C", r: "R", n: "N" };
const AGAIN = 300; // ms until values that are worked out are asked for again
const LATER = 2000; // ms until a busy server is asked again
const BUSY = 429;
const SHOWN = 20; // answers

let go = null;
let rules = null;
let felt = null;
let exercise = null;
let feedback = null;
let score = null;
let repeats = 0;
let answers = [];
let more = false;
let mode = "spots";
let against = ""; // whom the visitor chose, empty for the strategy
let known = false; // whether there is a session
const looking = new Set(); // numbers of answers whose values are asked for
const { attempt, busy } = inTurn("train", prepare, recover, draw);

export function start(navigate) {
  go = navigate;
  felt = new Felt("train-felt");
  segments("train-mode", "train-mode", MODES, (chosen) => {
    mode = chosen;
  });
  for (const [name, options] of Object.entries(FILTERS)) {
    const place = find(`train-${name}`);
    place.replaceChildren(...Object.entries(options).map(([value, text]) => make("option", { value }, text)));
    place.addEventListener("change", keepFilters);
  }
  find("train-line").addEventListener("change", keepFilters);
  find("train-filters").addEventListener("submit", (event) => {
    event.preventDefault();
    attempt(deal);
  });
  find("train-more").addEventListener("click", () => attempt(() => earlier(answers.at(-1)?.number)));
  restoreFilters();
}

export function show(query) {
  against = query?.get("against") ?? "";
  return attempt(async () => {
    try {
      await refresh();
    } catch (error) {
      if (!against) throw error;
      against = ""; // nobody of that name is here
      await refresh();
      notice(error.message);
    }
    document.title = `Train${against && ` against ${against}`} \u2013 cfr`;
    if (known) await earlier();
  });
}

/** An address of the trainer, with the opponent. */
function address(path = "", pairs = {}) {
  const named = String(new URLSearchParams({ ...(against ? { against } : {}), ...pairs }));
  return `/api/train${path}${named && `?${named}`}`;
}

/** Keys wait for the decision that they are meant for, as in Play; one that is held down counts once. */
export function key(name, repeated) {
  const pressed = name.toLowerCase();
  if (!(pressed in KEYS) || repeated || !(busy() || meaning(pressed))) return false;
  attempt(() => meaning(pressed)?.());
  return true;
}

function meaning(pressed) {
  if (!asked()) return pressed === "n" ? deal : null;
  return exercise.hand.actions.some((each) => each.letter === pressed) ? () => act(pressed) : null;
}

/** For a button that was drawn for the decision as it is: pressed twice, it does not answer the next one. */
function once(deed) {
  const number = exercise?.number;
  const answered = exercise?.answered;
  return () => attempt(() => (exercise?.number === number && exercise?.answered === answered ? deed() : null));
}

function asked() {
  return exercise && !exercise.answered;
}

async function prepare() {
  rules ??= await game;
}

async function recover() {
  await refresh().catch(() => null);
}

async function refresh() {
  take(await ask(address()));
}

function take(found) {
  ({ exercise, feedback, score, repeats } = found);
  known = score !== null;
}

function filters() {
  const chosen = Object.keys(FILTERS).map((name) => [name, find(`train-${name}`).value]);
  return { ...Object.fromEntries(chosen), line: find("train-line").value, mode };
}

function keepFilters() {
  try {
    localStorage.setItem("train-filters", JSON.stringify(filters()));
  } catch {
    /* storage may be off */
  }
}

function restoreFilters() {
  let kept = {};
  try {
    kept = JSON.parse(localStorage.getItem("train-filters")) ?? {};
  } catch {
    /* storage may be off */
  }
  for (const [name, options] of Object.entries(FILTERS)) if (kept[name] in options) find(`train-${name}`).value = kept[name];
  find("train-line").value = kept.line ?? "";
}

async function deal() {
  take(await ask(address("/deal"), filters()));
}

async function act(letter) {
  const { number, hand } = exercise;
  take(await ask(address("/act"), { number, line: hand.line, action: letter }));
  answers.unshift(feedback);
  look(number);
}

async function earlier(before) {
  const page = await ask(address("/answers", before ? { before } : {}));
  answers = before ? [...answers, ...page.answers] : page.answers;
  more = page.more;
  for (const each of answers.slice(0, SHOWN)) look(each.number);
}

/** Ask for what an answer lost, where it is still worked out, until it is there. */
async function look(number) {
  if (looking.has(number) || !answers.find((each) => each.number === number)?.working) return;
  looking.add(number);
  for (;;) {
    const found = await ask(address("/values", { number })).catch((error) => ({ error }));
    if (found.error && found.error.status !== BUSY) break;
    if (found.error || found.feedback.working) {
      await new Promise((resume) => setTimeout(resume, found.error ? LATER : AGAIN));
      continue;
    }
    answers = answers.map((each) => (each.number === number ? found.feedback : each));
    if (feedback?.number === number) feedback = found.feedback;
    // Answers to several questions may come in another order.
    if (!score || found.score.ev_decisions >= score.ev_decisions) ({ score, repeats } = found);
    drawVerdict();
    drawScore();
    drawAnswers();
    break;
  }
  looking.delete(number);
}

function draw() {
  if (!rules) return;
  felt.draw(
    exercise?.hand ?? null,
    rules.board_cards.reduce((sum, count) => sum + count, 0),
  );
  drawControls();
  drawVerdict();
  drawScore();
  drawAnswers();
}

function drawControls() {
  const hand = exercise?.hand;
  find("train-story").replaceChildren(...(hand ? history(hand, rules, go) : []));
  find("train-said").replaceChildren(...saying());
  const controls = find("train-controls");
  const focused = controls.contains(document.activeElement);
  controls.replaceChildren(...(asked() ? hand.actions.map(actionButton) : [nextButton()]));
  if (focused) controls.firstElementChild.focus(); // whoever trains by keyboard stays where the buttons are
}

function saying() {
  const hand = exercise?.hand;
  if (!hand && against) {
    return [`You play against ${against}. Decide what wins most from this player; after each decision you see what it costs.`];
  }
  if (!hand) return ["Decide as the strategy would. After each decision you see what it costs."];
  if (hand.over) return [make("strong", {}, ending(hand))];
  if (exercise.answered) return ["Answered."];
  const again = exercise.again ? "Once more: this one went wrong before. " : "";
  return [`${again}${botSaid(hand)} What do you do?`];
}

function actionButton(action) {
  return make(
    "button",
    { type: "button", className: `action ${tone(action.letter)}`, onclick: once(() => act(action.letter)) },
    make("span", {}, capital(said(action))),
    make("kbd", {}, KEYS[action.letter]),
  );
}

function nextButton() {
  const text = exercise ? (mode === "hands" ? "Next hand" : "Next spot") : "Deal the first one";
  return make(
    "button",
    { type: "button", className: "action deal", onclick: once(deal) },
    make("span", {}, text),
    make("kbd", {}, KEYS.n),
  );
}

function drawVerdict() {
  const place = find("verdict");
  place.classList.toggle("wrong", Boolean(feedback?.mistake));
  place.classList.toggle("good", feedback?.mistake === false);
  if (!feedback) {
    place.replaceChildren(
      make("h2", {}, "Your decision"),
      make("p", { className: "faint" }, "What the strategy does, and what each action wins, comes here."),
    );
    return;
  }
  const most = Math.max(...feedback.options.map((each) => each.ev_mbb ?? -Infinity));
  const row = (option) =>
    make(
      "tr",
      { className: option.letter === feedback.action ? "done" : "" },
      make(
        "th",
        { scope: "row" },
        make("span", { className: `swatch ${tone(option.letter)}` }),
        capital(said(option)),
        option.letter === feedback.action ? make("span", { className: "mine" }, "you") : null,
      ),
      make("td", {}, percent(option.share)),
      make(
        "td",
        { className: option.ev_mbb === most ? "best" : "" },
        option.ev_mbb === null ? (feedback.working ? "\u2026" : "\u2013") : written(option.ev_mbb, "bb"),
      ),
    );
  place.replaceChildren(
    make("h2", {}, judgement()),
    make("p", { className: `figure ${feedback.mistake ? "down" : "up"}` }, ...costs()),
    make(
      "p",
      { className: "spot-words" },
      make("span", {}, inline(ordered(feedback.cards))),
      feedback.board ? make("span", {}, inline(feedback.board)) : null,
      make("span", { className: "faint" }, capital(feedback.title)),
    ),
    make(
      "div",
      { className: "mix big", "aria-hidden": "true" },
      feedback.options.map((each) => make("span", { className: tone(each.letter), "--share": each.share })),
    ),
    make(
      "table",
      {},
      make("thead", {}, make("tr", {}, ...["", "strategy", "EV in bb"].map((text) => make("th", { scope: "col" }, text)))),
      make("tbody", {}, feedback.options.map(row)),
    ),
    ...(against ? [make("p", { className: "why faint" }, `EVs are those of your best play against ${against} from here on.`)] : []),
    ...(feedback.why ? [make("p", { className: "why faint" }, `Another action wins more than what the strategy does. ${feedback.why}`)] : []),
    spotLink(spotAddress(feedback), { className: "text-button" }, go, "Explore this spot"),
  );
}

function judgement() {
  if (feedback.working) return "What it costs is being worked out \u2026";
  if (feedback.mistake) return "A mistake";
  return feedback.is_costly ? "No mistake: the strategy does it, too" : "Right";
}

function costs() {
  const lost = feedback.ev_lost_mbb;
  if (lost === null) return [feedback.working ? "\u2026" : "\u2013", " ", make("small", {}, "big blinds lost")];
  return [(lost / 1000).toFixed(3), " ", make("small", {}, "big blinds lost")];
}

function spotAddress(each) {
  return link(each.line, each.board, each.cards);
}

function drawScore() {
  const mean = score?.ev_lost_mbb_per_decision ?? null;
  const interval = score?.interval_95_mbb ?? null;
  const line = (name, value) =>
    make("div", {}, make("dt", {}, name), make("dd", {}, (value ?? 0).toLocaleString("en")));
  find("score").replaceChildren(
    make("h2", {}, against ? `Your score against ${against}` : "Your score"),
    make(
      "p",
      { className: "figure" },
      mean === null ? "\u2013" : (mean / 1000).toFixed(3),
      interval === null ? null : make("span", { className: "margin" }, ` \u00b1 ${(interval / 1000).toFixed(3)}`),
      " ",
      make("small", {}, "big blinds lost per decision", interval === null ? "" : ", 95 % interval"),
    ),
    make("dl", {}, line("Decisions", score?.decisions), line("Mistakes", score?.mistakes), line("To repeat", repeats)),
  );
}

function drawAnswers() {
  find("train-more").hidden = !more;
  for (const each of document.querySelectorAll(".train-export")) each.hidden = !answers.length;
  const row = (each) =>
    spotLink(
      spotAddress(each),
      { className: "answer" },
      go,
      make("span", { className: "faint" }, `#${each.number}`),
      make("span", {}, inline(ordered(each.cards))),
      make(
        "span",
        {},
        make("span", { className: tone(each.action) }, said(each.options.find(({ letter }) => letter === each.action))),
        " ",
        make("span", {}, inline(each.board)),
      ),
      make(
        "span",
        { className: `log-chips ${each.mistake ? "down" : "faint"}` },
        each.ev_lost_mbb === null ? (each.working ? "\u2026" : "\u2013") : signed(-each.ev_lost_mbb / 1000, 3),
      ),
    );
  find("answers").replaceChildren(
    ...(answers.length
      ? answers.map(row)
      : [make("p", { className: "faint" }, "Your decisions are listed here and kept on the server.")]),
  );
}
