// Play: a table against the bot. The server deals, checks and keeps everything; this only shows it.

import { Felt, botSaid, ending } from "../../static/felt.js";
import { history } from "../../static/history.js";
import {
  ask,
  capital,
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
} from "../../static/page.js";
import { drawResult, tendency } from "../../static/result.js";
import { segments } from "../../static/segments.js";
import { inTurn } from "../../static/turns.js";
import { botName, drawLearner, knownAs, seatName, startLearner } from "./learner.js";

const SEATS = [
  ["alternate", "Alternate"],
  ["button", "Button"],
  ["bb", "Big blind"],
];
const KEYS = { f: "F", c: "C", r: "R", h: "H", n: "N" };

const SOON = 400; // ms that nobody minds
const AGAIN = 1000; // ms until the page asks again how far the bot is
const LUCK_AFTER = [400, 800, 1500, 3000, 6000, 12000]; // ms between looks for what is worked out on the server

let go = null;
let rules = null;
let hand = null;
let result = null;
let learner = null; // what the player that learns knows, null against another one
let hint = null;
let log = [];
let more = false;
let looking = 0; // the timer of what looks for luck-adjusted results
let seat = "alternate";
let against = ""; // whom the visitor chose, empty for the strategy
let felt = null;
const { attempt, busy } = inTurn("play", prepare, recover, draw);

export function start(navigate) {
  go = navigate;
  felt = new Felt("felt");
  segments("seats", "seat", SEATS, (chosen) => {
    seat = chosen;
  });
  startLearner(navigate, () =>
    attempt(async () => {
      take(await remove(`/api/table/learnt?${new URLSearchParams({ against: result.against })}`));
    }),
  );
  find("more").addEventListener("click", () => attempt(() => earlier(log.at(-1)?.number)));
  find("forget").addEventListener("click", () => find("sure").showModal());
  find("sure-no").addEventListener("click", () => find("sure").close());
  find("sure-yes").addEventListener("click", () => {
    find("sure").close();
    attempt(async () => {
      await remove("/api/session");
      take(await fetchTable());
      [log, more] = [[], false];
    });
  });
}

export function show(query) {
  against = query?.get("against") ?? "";
  return attempt(async () => {
    try {
      take(await fetchTable());
    } catch (error) {
      if (!against) throw error;
      against = ""; // nobody of that name is here
      take(await fetchTable());
      notice(error.message);
    }
    document.title = `Play${against && ` against ${botName(against)}`} \u2013 cfr`;
    find("learner-name").value = knownAs(against) ?? "";
    [log, more] = [[], false];
    if (hand || result.hands) await earlier();
  });
}

/** The end of an address of the server, with the opponent. */
function asked(pairs = {}) {
  const named = new URLSearchParams({ ...(against ? { against } : {}), ...pairs });
  return String(named) && `?${named}`;
}

function fetchTable() {
  return ask(`/api/table${asked()}`);
}

/** Keys wait for the table that they are meant for, as in Explore; one that is held down counts once. */
export function key(name, repeated) {
  const pressed = name.toLowerCase();
  if (!(pressed in KEYS) || repeated || !(busy() || meaning(pressed))) return false;
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
  [hand, result, learner, hint] = [table.hand, table.result, table.learner ?? null, null];
}

async function prepare() {
  rules ??= await game;
}

async function recover() {
  take(await fetchTable().catch(() => ({ hand, result, learner })));
}

/** Say what takes long, and how far it is, where the bot solves subgames anew. */
async function patiently(answer) {
  if (!rules.resolve) return answer;
  let [asking, share] = [setTimeout(look, SOON), null];
  async function look() {
    drawSolve(share ?? 0);
    share = (await ask("/api/table/solving").catch(() => null))?.share;
    if (!asking) return;
    drawSolve(share ?? 0);
    asking = setTimeout(look, AGAIN);
  }
  try {
    return await answer;
  } finally {
    clearTimeout(asking);
    asking = null;
    find("bot-solves").hidden = true;
  }
}

function drawSolve(share) {
  const bar = find("bot-progress");
  find("bot-solves").hidden = false;
  find("bot-solves-what").textContent = `The bot solves the ${rules.resolve} on this board …`;
  bar.firstElementChild.style.setProperty("--share", share);
  bar.setAttribute("aria-valuenow", Math.round(100 * share));
}

async function deal() {
  take(await patiently(ask(`/api/table/deal${asked()}`, { seat })));
  finished();
}

async function act(letter) {
  take(await patiently(ask("/api/table/act", { hand: hand.number, line: hand.line, action: letter })));
  finished();
}

function finished() {
  if (!hand.over || log[0]?.number === hand.number || !isWanted()) return;
  log.unshift(hand);
  clearTimeout(looking);
  lookForLuck(LUCK_AFTER);
}

/** Whether the hand and the result are those against whom the visitor chose. */
function isWanted() {
  return result.against === against;
}

function lookForLuck([wait, ...later]) {
  looking = setTimeout(async () => {
    const table = await fetchTable().catch(() => null);
    const { hands, luck_adjusted: adjusted } = table?.result ?? {};
    if (!busy() && hands === result.hands && adjusted.hands !== result.luck_adjusted.hands) {
      result = table.result;
      if (table.hand?.over) log = log.map((each) => (each.number === table.hand.number ? table.hand : each));
      draw();
    }
    if (later.length && result.luck_adjusted.hands < result.hands) lookForLuck(later);
  }, wait);
}

async function askHint() {
  hint = (await patiently(ask("/api/table/hint"))).shares;
}

async function earlier(before) {
  const page = await ask(`/api/hands${asked(before ? { before } : {})}`);
  log = before ? [...log, ...page.hands] : page.hands;
  more = page.more;
}

function draw() {
  if (!result) return;
  felt.draw(hand && { ...hand, bot: seatName(hand.bot) }, rules.board_cards.reduce((sum, count) => sum + count, 0));
  drawControls();
  drawResult(result, result.against ? { title: `Your result against ${botName(result.against)}` } : {});
  drawLearner(rules, learner);
  drawLog();
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
        ? [make("strong", { className: hand.chips > 0 ? "up" : hand.chips < 0 ? "down" : "" }, ending(hand))]
        : [`${against && `You play against ${botName(against)}. `}Fixed limit, heads-up: blinds ${rules.blinds.join(" and ")}, bets ${rules.raise_sizes.join(", ")}.`]),
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
  const next = isWanted() ? "" : ` After this hand you play against ${botName(against) || rules.strategy}.`;
  find("said").textContent = `${botSaid(hand)} Your turn.${next}`.trim();
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

function drawLog() {
  find("export").hidden = find("review-played").hidden = find("forget").hidden = !result.hands;
  find("more").hidden = !more;
  const open = new Set([...find("log").querySelectorAll("details[open]")].map((each) => each.dataset.number));
  find("log").replaceChildren(
    ...(log.length
      ? log.map((each) => entry(each, open))
      : [make("p", { className: "faint" }, "Finished hands are listed here and kept on the server.")]),
  );
}

function entry(each, open) {
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
    ...history(each, rules, go),
    ...(each.luck_adjusted === null
      ? []
      : [make("div", { className: "log-round faint" }, `Luck-adjusted: ${signed(each.luck_adjusted, 1)} chips`)]),
  );
}
