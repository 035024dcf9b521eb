// Play: a table against the bot. The server deals, checks and keeps everything; this only shows it.

import { link } from "./explore.js";
import {
  ROUNDS,
  ask,
  back,
  boardIn,
  capital,
  cards,
  face,
  find,
  game,
  inline,
  make,
  notice,
  ordered,
  percent,
  remove,
  said,
  signed,
  tone,
} from "./page.js";
import { drawResult, tendency } from "./result.js";
import { segments } from "./segments.js";

const SEATS = [
  ["alternate", "Alternate"],
  ["button", "Button"],
  ["bb", "Big blind"],
];
const KEYS = { f: "F", c: "C", r: "R", h: "H", n: "N" };

const SOON = 400; // ms that nobody minds
const LUCK_AFTER = [400, 800, 1500, 3000, 6000, 12000]; // ms between looks for what is worked out on the server

let go = null;
let rules = null;
let hand = null;
let result = null;
let hint = null;
let turn = Promise.resolve(); // what is done one after the other
let waiting = 0; // how many deeds are under way or wait for their turn
let failures = 0;
let log = [];
let more = false;
let looking = 0; // the timer of what looks for luck-adjusted results
let seat = "alternate";
let drawn = { number: 0, board: 0, shown: false }; // what was on the table already: only new cards move

export function start(navigate) {
  go = navigate;
  segments("seats", "seat", SEATS, (chosen) => {
    seat = chosen;
  });
  find("more").addEventListener("click", () => attempt(() => earlier(log.at(-1)?.number)));
  find("forget").addEventListener("click", () => find("sure").showModal());
  find("sure-no").addEventListener("click", () => find("sure").close());
  find("sure-yes").addEventListener("click", () => {
    find("sure").close();
    attempt(async () => {
      take(await remove("/api/session"));
      [log, more] = [[], false];
    });
  });
}

export function show() {
  document.title = "Play \u2013 cfr";
  return attempt(async () => {
    take(await ask("/api/table"));
    if (hand) await earlier();
  });
}

/** Keys wait for the table that they are meant for, as in Explore; one that is held down counts once. */
export function key(name, repeated) {
  const pressed = name.toLowerCase();
  if (!(pressed in KEYS) || repeated || !(waiting || meaning(pressed))) return false;
  attempt(() => meaning(pressed)?.());
  return true;
}

/** What a key does at the table as it is, if anything. */
function meaning(pressed) {
  if (!playing()) return pressed === "n" ? deal : null;
  if (pressed === "h") return askHint;
  return hand.actions.some((each) => each.letter === pressed) ? () => act(pressed) : null;
}

/** For a button that was drawn for the table as it is: pressed twice, it does not act on the next decision. */
function once(deed) {
  const { number, line } = hand ?? {};
  return () => attempt(() => (hand?.number === number && hand?.line === line ? deed() : null));
}

function playing() {
  return hand && !hand.over;
}

function take(table) {
  [hand, result, hint] = [table.hand, table.result, null];
}

/**
 * Do one thing after the other; what fails takes along what was to come after it. A hand that went on elsewhere, in
 * another tab, is fetched.
 */
function attempt(deed) {
  const before = failures;
  waiting += 1;
  find("play").ariaBusy = "true";
  turn = turn.then(async () => {
    try {
      if (failures !== before) return;
      notice();
      rules ??= await game;
      await patiently(deed);
    } catch (error) {
      failures += 1;
      notice(error.message);
      if (error.status === 409 || error.status === 401) take(await ask("/api/table").catch(() => ({ hand, result })));
    } finally {
      waiting -= 1;
      if (result) draw();
      find("play").ariaBusy = String(waiting > 0);
    }
  });
  return turn;
}

/** Say what takes long, where the bot solves subgames anew. */
async function patiently(deed) {
  if (!rules.resolve) return deed();
  const saying = setTimeout(() => notice(`The bot solves the ${rules.resolve} on this board …`), SOON);
  try {
    await deed();
    notice();
  } finally {
    clearTimeout(saying);
  }
}

async function deal() {
  take(await ask("/api/table/deal", { seat }));
  finished();
}

async function act(letter) {
  take(await ask("/api/table/act", { hand: hand.number, line: hand.line, action: letter }));
  finished();
}

function finished() {
  if (!hand.over || log[0]?.number === hand.number) return;
  log.unshift(hand);
  clearTimeout(looking);
  lookForLuck(LUCK_AFTER);
}

function lookForLuck([wait, ...later]) {
  looking = setTimeout(async () => {
    const table = await ask("/api/table").catch(() => null);
    const { hands, luck_adjusted: adjusted } = table?.result ?? {};
    if (!waiting && hands === result.hands && adjusted.hands !== result.luck_adjusted.hands) {
      result = table.result;
      if (table.hand?.over) log = log.map((each) => (each.number === table.hand.number ? table.hand : each));
      drawResult(result);
      drawLog();
    }
    if (later.length && result.luck_adjusted.hands < result.hands) lookForLuck(later);
  }, wait);
}

async function askHint() {
  hint = (await ask("/api/table/hint")).shares;
}

async function earlier(before) {
  const page = await ask(`/api/hands${before ? `?before=${before}` : ""}`);
  log = before ? [...log, ...page.hands] : page.hands;
  more = page.more;
}

function draw() {
  if (drawn.number !== hand?.number) drawn = { number: hand?.number ?? 0, board: 0, shown: false };
  drawSeat("bot", hand?.bot_cards ?? null);
  drawSeat("you", hand?.cards ?? null);
  const board = cards(hand?.board ?? "");
  const empty = Array.from({ length: rules.board_cards.reduce((sum, count) => sum + count, 0) - board.length }, () =>
    make("span", { className: "card empty" }),
  );
  find("board").replaceChildren(...board.map((card, place) => face(card, place >= drawn.board ? "new" : "")), ...empty);
  find("pot").replaceChildren(...(hand ? ["Pot ", make("b", {}, hand.pot)] : []));
  drawn.board = board.length;
  drawn.shown = Boolean(hand?.bot_cards);
  drawControls();
  drawResult(result);
  drawLog();
}

function drawSeat(who, shown) {
  const own = who === "you";
  const place = find(own ? "your-seat" : "bot-seat");
  const bet = find(own ? "your-bet" : "bot-bet");
  if (!hand) {
    place.replaceChildren();
    bet.replaceChildren();
    return;
  }
  const button = (hand.seat === "button") === own;
  const faces = shown
    ? cards(ordered(shown)).map((card) => face(card, own || drawn.shown ? "" : "new"))
    : [back(), back()];
  const folded = hand.folded === who;
  const last = hand.steps.filter((step) => step.who === who && step.round === hand.round).at(-1);
  const made = hand.made ? hand.made[who] : "";
  place.classList.toggle("folded", folded);
  place.classList.toggle("won", hand.over && (own ? hand.chips > 0 : hand.chips < 0));
  place.classList.toggle("turn", own && !hand.over);
  place.replaceChildren(
    make("div", { className: "hole" }, faces),
    make(
      "div",
      { className: "plate" },
      make("span", { className: "who" }, own ? "You" : hand.bot),
      make(
        "span",
        { className: button ? "disc" : "disc blind", title: button ? "Button" : "Big blind" },
        button ? "D" : "BB",
      ),
      make("span", { className: "doing" }, made || (last ? said(last) : "")),
    ),
  );
  const chips = hand.over ? 0 : hand.in_front[own ? "you" : "bot"];
  bet.replaceChildren(...(chips ? [make("span", { className: "chip", "aria-hidden": "true" }), String(chips)] : []));
}

function ending() {
  const amount = Math.abs(hand.chips);
  if (hand.folded) return hand.folded === "you" ? `You fold and lose ${amount}.` : `The bot folds, you win ${amount}.`;
  const made = hand.made ? `, ${hand.made.you} against ${hand.made.bot}` : "";
  return hand.chips > 0
    ? `You win ${amount}${made}.`
    : hand.chips < 0
      ? `You lose ${amount}${made}.`
      : `You split the pot${made}.`;
}

function drawControls() {
  const controls = find("controls");
  const focused = controls.contains(document.activeElement);
  fillControls(controls);
  if (focused) controls.firstElementChild.focus(); // whoever plays by keyboard stays where the buttons are
}

function fillControls(controls) {
  if (!playing()) {
    find("said").replaceChildren(
      ...(hand
        ? [make("strong", { className: hand.chips > 0 ? "up" : hand.chips < 0 ? "down" : "" }, ending())]
        : [`Fixed limit, heads-up: blinds ${rules.blinds.join(" and ")}, bets ${rules.raise_sizes.join(", ")}.`]),
    );
    controls.replaceChildren(
      make(
        "button",
        { type: "button", className: "action deal", onclick: once(deal) },
        make("span", {}, hand ? "Next hand" : "Deal the first hand"),
        make("kbd", {}, KEYS.n),
      ),
    );
    return;
  }
  const last = hand.steps.at(-1);
  find("said").textContent = last?.who === "bot" ? `The bot ${third(last)}. Your turn.` : "Your turn.";
  const names = { f: "fold", c: "call", r: "raise" };
  const buttons = hand.actions.map((action) => {
    const share = hint?.[names[action.letter]];
    return make(
      "button",
      { type: "button", className: `action ${tone(action.letter)}`, onclick: once(() => act(action.letter)) },
      make("span", {}, capital(said(action))),
      make("kbd", {}, KEYS[action.letter]),
      hint
        ? make(
            "span",
            { className: "hint", "--share": share, "aria-label": `the strategy: ${percent(share)}` },
            percent(share),
          )
        : null,
    );
  });
  controls.replaceChildren(
    ...buttons,
    make(
      "button",
      { type: "button", className: "action hint-button", onclick: once(askHint), title: "What the strategy would do" },
      make("span", {}, "Hint"),
      make("kbd", {}, KEYS.h),
    ),
  );
}

function third(step) {
  const [verb, ...rest] = said(step).split(" ");
  return [`${verb}s`, ...rest].join(" ");
}

function drawLog() {
  find("export").hidden = find("forget").hidden = !result.hands;
  find("more").hidden = !more;
  const open = new Set([...find("log").querySelectorAll("details[open]")].map((each) => each.dataset.number));
  find("log").replaceChildren(
    ...(log.length
      ? log.map((each) => entry(each, open))
      : [make("p", { className: "faint" }, "Finished hands are listed here and kept on the server.")]),
  );
}

function entry(each, open) {
  const lines = [];
  let round = -1;
  for (const step of each.steps) {
    if (step.round !== round) {
      round = step.round;
      lines.push(
        make(
          "div",
          { className: "log-round" },
          make("span", { className: "faint" }, ROUNDS[round]),
          make("span", {}, inline(boardIn(rules, each.board, round))),
        ),
      );
    }
    const held = step.who === "you" ? each.cards : each.bot_cards;
    const address = link(step.line, boardIn(rules, each.board, step.round), held);
    lines.push(
      make(
        "a",
        {
          className: "log-step",
          href: address,
          title: "Explore this spot",
          onclick: (event) => {
            if (event.metaKey || event.ctrlKey || event.shiftKey) return;
            event.preventDefault();
            go(address);
          },
        },
        make("span", { className: "log-who" }, step.who === "you" ? "You" : "Bot"),
        make("span", { className: tone(step.letter) }, said(step)),
      ),
    );
  }
  return make(
    "details",
    { "data-number": String(each.number), open: open.has(String(each.number)) },
    make(
      "summary",
      {},
      make("span", { className: "faint" }, `#${each.number}`),
      make("span", {}, inline(ordered(each.cards))),
      make(
        "span",
        { className: "log-against" },
        each.bot_cards
          ? inline(ordered(each.bot_cards))
          : make("span", { className: "faint" }, each.folded === "bot" ? "bot folded" : "you folded"),
      ),
      make("span", { className: `log-chips ${tendency(each.chips) || "faint"}` }, signed(each.chips)),
    ),
    ...lines,
    ...(each.luck_adjusted === null
      ? []
      : [make("div", { className: "log-round faint" }, `Luck-adjusted: ${signed(each.luck_adjusted, 1)} chips`)]),
  );
}
