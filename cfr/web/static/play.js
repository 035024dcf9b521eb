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

const SEATS = [
  ["alternate", "Alternate"],
  ["button", "Button"],
  ["bb", "Big blind"],
];
const KEYS = { f: "F", c: "C", r: "R" };

const LUCK =
  "What your decisions are worth: chips that came from the luck of the cards and of the bot\u2019s random choices are " +
  "taken out (AIVAT). It is as true as the result over many hands and tells far sooner. Each hand is worked out after " +
  "its end, for all cards that the bot could have held.";
const LUCK_AFTER = [400, 800, 1500, 3000, 6000, 12000]; // ms between looks for what is worked out on the server

let go = null;
let rules = null;
let hand = null;
let result = null;
let hint = null;
let busy = false;
let log = [];
let more = false;
let looking = 0; // the timer of what looks for luck-adjusted results
let seat = "alternate";
let drawn = { number: 0, board: 0, shown: false }; // what was on the table already: only new cards move

export function start(navigate) {
  go = navigate;
  try {
    seat = localStorage.getItem("seat") ?? seat;
  } catch {
    /* storage may be off */
  }
  find("seats").replaceChildren(
    ...SEATS.map(([value, name]) =>
      make("button", { type: "button", role: "radio", "data-seat": value, onclick: () => chooseSeat(value) }, name),
    ),
  );
  find("seats").addEventListener("keydown", (event) => {
    const step = { ArrowLeft: -1, ArrowUp: -1, ArrowRight: 1, ArrowDown: 1 }[event.key];
    if (!step) return;
    event.preventDefault();
    const place = SEATS.findIndex(([value]) => value === seat);
    chooseSeat(SEATS[(place + step + 3) % 3][0]);
    find("seats").querySelector("[aria-checked=true]").focus();
  });
  find("more").addEventListener("click", () => attempt(() => earlier(log.at(-1)?.number)));
  find("forget").addEventListener("click", () => find("sure").showModal());
  find("sure-no").addEventListener("click", () => find("sure").close());
  find("sure-yes").addEventListener("click", () =>
    attempt(async () => {
      find("sure").close();
      take(await remove("/api/session"));
      [log, more] = [[], false];
    }),
  );
  chooseSeat(SEATS.some(([value]) => value === seat) ? seat : "alternate");
}

export async function show() {
  document.title = "Play \u2013 cfr";
  find("play").ariaBusy = "true";
  rules = await game;
  take(await ask("/api/table"));
  if (hand) await earlier();
  draw();
  find("play").ariaBusy = "false";
}

export function key(name) {
  const pressed = name.toLowerCase();
  if (pressed === "h" && playing()) return Boolean(askHint());
  if (pressed === "n" && !playing()) return Boolean(deal());
  const action = playing() && hand.actions.find((each) => each.letter === pressed);
  return action ? Boolean(act(action.letter)) : false;
}

function playing() {
  return hand && !hand.over;
}

function take(table) {
  [hand, result, hint] = [table.hand, table.result, null];
}

/** Do one thing at a time; a hand that went on elsewhere, in another tab, is fetched. */
async function attempt(deed) {
  if (busy) return;
  busy = true;
  find("play").ariaBusy = "true";
  notice();
  try {
    await deed();
  } catch (error) {
    notice(error.message);
    if (error.status === 409 || error.status === 401) take(await ask("/api/table").catch(() => ({ hand, result })));
  } finally {
    busy = false;
    draw();
    find("play").ariaBusy = "false";
  }
}

function deal() {
  return attempt(async () => {
    take(await ask("/api/table/deal", { seat }));
    finished();
  });
}

function act(letter) {
  return attempt(async () => {
    take(await ask("/api/table/act", { hand: hand.number, line: hand.line, action: letter }));
    finished();
  });
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
    if (!busy && hands === result.hands && adjusted.hands !== result.luck_adjusted.hands) {
      result = table.result;
      if (table.hand?.over) log = log.map((each) => (each.number === table.hand.number ? table.hand : each));
      drawResult();
      drawLog();
    }
    if (later.length && result.luck_adjusted.hands < result.hands) lookForLuck(later);
  }, wait);
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
    const address = link(step.line, boardIn(rules, each.board, step.round));
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
