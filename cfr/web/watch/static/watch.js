// Watch: two players at the table, at a pace, stepped or paused; each decision with its mix, and the running result.
// A reviewed hand is replayed the same way.

import { Felt } from "../../static/felt.js";
import { history } from "../../static/history.js";
import { ask, boardIn, capital, find, game, make, percent, said, signed, tone } from "../../static/page.js";
import { drawResult } from "../../static/result.js";
import { segments } from "../../static/segments.js";
import { inTurn } from "../../static/turns.js";

const PACES = [
  ["1200", "Slow"],
  ["600", "Normal"],
  ["150", "Fast"],
];
const CARDS = [
  ["open", "Open"],
  ["hidden", "Hidden"],
];
const ENDING = 2; // how many times as long the end of a hand stays
const NOTHING = { hands: 0, chips: 0, bb_per_100: null, interval_95: null, luck_adjusted: { hands: 0 } };
const SIDES = ["you", "bot"]; // how the felt calls the first and the second player
const LUCK =
  "What the decisions are worth: chips that came from the luck of the cards and of random choices are taken out (AIVAT). " +
  "It is as true as the result over many hands and tells far sooner.";

let go = null;
let rules = null;
let names = [];
let most = 0;
let hand = null;
let replay = null; // which reviewed hand is replayed, as the address says it; null for a match
let ahead = null; // the next hand, asked for while this one is shown
let before = NOTHING; // the result of the hands before
let done = 0; // actions of the hand that are shown
let ended = false; // whether the end of the hand was shown
let pace = 1200; // ms for an action
let cardsShown = "open";
let timer = 0;
let playing = false;
let felt = null;
let chooseCards = null;
const { attempt } = inTurn("watch", prepare, () => null, draw);

const DEEDS = { p: toggle, s: forward, b: backward, n: next, o: turnCards };

export function start(navigate) {
  go = navigate;
  felt = new Felt("watch-felt");
  segments("watch-pace", "watch-pace", PACES, (chosen) => {
    pace = Number(chosen);
    if (playing) wait();
  });
  chooseCards = segments("watch-cards", "watch-cards", CARDS, (chosen) => {
    cardsShown = chosen;
    draw();
  });
  for (const side of ["first", "second"]) {
    find(`watch-${side}`).addEventListener("change", () => attempt(begin));
  }
}

export function show(query) {
  const asked = query.has("hand") ? query : null;
  document.title = `${asked ? "Replay" : "Watch"} \u2013 cfr`;
  return attempt(async () => {
    if (hand && `${asked}` === `${replay}`) return;
    replay = asked;
    await begin();
  });
}

export function key(name, repeated) {
  const pressed = name.toLowerCase();
  if (!(pressed in DEEDS) || repeated) return false;
  attempt(DEEDS[pressed]);
  return true;
}

async function prepare() {
  rules ??= await game;
  if (names.length) return;
  ({ players: names, hands: most } = await ask("/api/watch"));
  for (const [side, chosen] of [
    ["first", 0],
    ["second", names.length > 1 ? 1 : 0],
  ]) {
    const options = names.map((text, value) => make("option", { value, selected: value === chosen }, text));
    find(`watch-${side}`).replaceChildren(...options);
  }
}

/** The match of the chosen players, from its first hand on, or the hand that is replayed. */
async function begin() {
  pause();
  [hand, ahead] = [null, null];
  draw();
  find("watch-said").textContent = replay ? "" : "The players sit down\u2026";
  for (const part of document.querySelectorAll("#watch .match-only")) part.hidden = replay !== null;
  take(await played(replay ? replay.get("hand") : 1));
}

function played(number) {
  if (replay) {
    const query = new URLSearchParams(replay);
    query.set("hand", number);
    return ask(`/api/${query.has("id") ? "review" : "database"}/hand?${query}`);
  }
  const players = `first=${find("watch-first").value}&second=${find("watch-second").value}`;
  return ask(`/api/watch/hand?${players}&number=${number}`);
}

function take(found) {
  before = hand ? hand.result : NOTHING;
  [hand, done, ended, ahead] = [found, 0, false, null];
}

function last() {
  return done >= hand.steps.length;
}

/** The number of the next hand; null after the last. */
function following() {
  if (replay) return hand.next;
  return hand.number < most ? hand.number + 1 : null;
}

/** The next hand; first the end of this one, which the result counts. */
async function next() {
  if (hand && !ended) {
    done = hand.steps.length;
    if (playing) wait();
    return;
  }
  const number = hand && following();
  if (number === null) return pause();
  const coming = ahead;
  ahead = null; // what failed is asked for anew
  take(await (coming ?? played(number)));
  if (replay) {
    replay.set("hand", number);
    window.history.replaceState(null, "", `/watch?${replay}`);
  }
  if (playing) wait();
}

function forward() {
  if (!hand) return null;
  if (last()) return next();
  done += 1;
  return null;
}

function backward() {
  pause();
  done = Math.max(done - 1, 0);
}

function turnCards() {
  chooseCards(cardsShown === "open" ? "hidden" : "open");
}

function toggle() {
  if (playing) return pause();
  playing = true;
  wait();
  return null;
}

function pause() {
  playing = false;
  clearTimeout(timer);
}

/** The next action after a while, as long as somebody looks. */
function wait() {
  clearTimeout(timer);
  if (hand && !ahead && following() !== null) {
    ahead = played(following());
    ahead.catch(() => null); // it is said when the hand is wanted
  }
  timer = setTimeout(
    () => {
      if (find("watch").hidden || document.hidden) return pause();
      return attempt(forward).then(() => playing && wait());
    },
    hand && last() ? ENDING * pace : pace,
  );
}

/** The hand as the felt shows it: the first player below, as far as it was shown. */
function seen() {
  const step = hand.steps[done];
  const over = !step;
  const round = over ? hand.steps.at(-1).round : step.round;
  const open = (player) => cardsShown === "open" || (over && hand.folded === null) ? hand.cards[player] : null;
  return {
    number: hand.number,
    you: hand.players[0],
    bot: hand.players[1],
    acting: over ? null : SIDES[step.who],
    seat: hand.button === 0 ? "button" : "big blind",
    cards: open(0),
    bot_cards: open(1),
    board: over ? hand.board : boardIn(rules, hand.board, round),
    round,
    pot: over ? hand.pot : step.pot,
    in_front: over ? { you: 0, bot: 0 } : { you: step.in_front[0], bot: step.in_front[1] },
    steps: hand.steps.slice(0, done).map((each) => ({ ...each, who: SIDES[each.who] })),
    over,
    chips: over ? hand.chips : null,
    folded: over && hand.folded !== null ? SIDES[hand.folded] : null,
    made: over && hand.made ? { you: hand.made[0], bot: hand.made[1] } : null,
  };
}

function draw() {
  if (!rules || !felt) return;
  const shown = hand && seen();
  ended ||= Boolean(shown?.over);
  felt.draw(
    shown,
    rules.board_cards.reduce((sum, count) => sum + count, 0),
  );
  find("watch-story").replaceChildren(...(shown ? history(shown, rules, go) : []));
  drawControls();
  drawDecision();
  if (!hand) return;
  find("watch-said").replaceChildren(...saying());
  if (replay) drawLogged();
  else drawResult(last() ? hand.result : before, { id: "watch-result", title: `${hand.players[0]} against ${hand.players[1]}`, luck: LUCK });
}

/** Which hand of a log or database it is. */
function drawLogged() {
  find("watch-result").replaceChildren(
    make("h2", {}, "A reviewed hand"),
    make("p", {}, `Hand ${hand.number}${hand.day ? `, ${hand.day}` : ""}`),
    make("a", { className: "text-button", href: "/review", "data-link": true }, "Back to the review"),
  );
}

function saying() {
  const step = hand.steps[done - 1];
  if (last() && hand.chips === null) return ["The log does not tell the result."];
  if (last()) {
    const winner = hand.chips > 0 ? 0 : 1;
    const how = hand.made ? `, ${hand.made[winner]} against ${hand.made[1 - winner]}` : "";
    const text = hand.chips ? `${hand.players[winner]} wins ${Math.abs(hand.chips)}${how}.` : "The pot is split.";
    return [make("strong", {}, text)];
  }
  if (!step) return [`Hand ${replay ? hand.number : hand.number.toLocaleString("en")}.`];
  return [`${hand.players[step.who]}: ${said(step)}.`];
}

function drawControls() {
  const button = (letter, text, main) =>
    make(
      "button",
      { type: "button", className: `action ${main ? "deal" : "plain"}`, onclick: () => attempt(DEEDS[letter]), "data-deed": letter },
      make("span", {}, text),
      make("kbd", {}, letter.toUpperCase()),
    );
  const place = find("watch-controls");
  const focused = place.contains(document.activeElement) && document.activeElement.dataset.deed;
  place.replaceChildren(
    button("p", playing ? "Pause" : "Play", true),
    button("b", "Back"),
    button("s", "Step"),
    button("n", ended ? "Next hand" : "End of hand"),
  );
  if (focused) place.querySelector(`[data-deed=${focused}]`).focus();
}

function drawDecision() {
  const step = hand?.steps[done - 1];
  const place = find("decision");
  const words = !step
    ? ["The mix of each decision comes here."]
    : !step.mix
      ? [replay ? "These cards are not in the log." : `Nobody knows how ${hand.players[step.who]} decides.`]
      : cardsShown === "hidden" && !last()
        ? ["The mix tells of the cards: open them to see it."]
        : null;
  place.replaceChildren(
    make("h2", {}, step ? `${hand.players[step.who]} decides` : "Decision"),
    ...(words ? [make("p", { className: "faint" }, ...words)] : mixed(step).filter((part) => part !== null)),
  );
}

function mixed(step) {
  const row = (option) =>
    make(
      "tr",
      { className: option.letter === step.letter ? "done" : "" },
      make(
        "th",
        { scope: "row" },
        make("span", { className: `swatch ${tone(option.letter)}` }),
        capital(said(option)),
        option.letter === step.letter ? make("span", { className: "mine" }, "played") : null,
      ),
      make("td", {}, percent(option.share)),
    );
  return [
    make(
      "div",
      { className: "mix big", "aria-hidden": "true" },
      step.mix.map((each) => make("span", { className: tone(each.letter), "--share": each.share })),
    ),
    make("table", {}, make("tbody", {}, step.mix.map(row))),
    typeof step.ev_lost_mbb === "number"
      ? make(
          "p",
          { className: step.mistake ? "down" : "faint" },
          `${step.mistake ? "A mistake: EV" : "EV"} ${signed(-step.ev_lost_mbb / 1000, 3)} bb`,
        )
      : null,
  ];
}
