// What both views share: elements, cards, numbers, and questions to the server.

// Those of the deck, which the page brings along.
export const { ranks: RANKS, suits: SUITS } = document.documentElement.dataset;
document.documentElement.style.setProperty("--ranks", RANKS.length);
const GLYPHS = { s: "\u2660\ufe0e", h: "\u2665\ufe0e", d: "\u2666\ufe0e", c: "\u2663\ufe0e" };
const SUIT_NAMES = { s: "spades", h: "hearts", d: "diamonds", c: "clubs" };
const RANK_NAMES = {
  A: "ace",
  K: "king",
  Q: "queen",
  J: "jack",
  T: "ten",
  9: "nine",
  8: "eight",
  7: "seven",
  6: "six",
  5: "five",
  4: "four",
  3: "three",
  2: "deuce",
};

const BUSY = 429;
const AGAIN = 2000; // ms until a busy server is asked again

export const ROUNDS = ["Preflop", "Flop", "Turn", "River"];
export const SHORT = { button: "BTN", "big blind": "BB" };

export const find = (id) => document.getElementById(id);

/** An element with properties, `data-` and `aria-` attributes, custom CSS properties and children. */
export function make(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("--")) element.style.setProperty(name, value);
    else if (name in element && !name.includes("-")) element[name] = value;
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return element;
}

export function cards(text) {
  return text.match(/../g) ?? [];
}

export function cardName(card) {
  return `${RANK_NAMES[card[0]]} of ${SUIT_NAMES[card[1]]}`;
}

/** A card's rank as a card shows it; notation such as T9s keeps its letter. */
function pip(card) {
  return card[0] === "T" ? "10" : card[0];
}

export function face(card, extra = "") {
  return make(
    "span",
    { className: `card ${extra}`, "data-suit": card[1], role: "img", "aria-label": cardName(card) },
    make("b", { "aria-hidden": "true" }, pip(card)),
    make("i", { "aria-hidden": "true" }, GLYPHS[card[1]]),
  );
}

export function back() {
  return make("span", { className: "card back", role: "img", "aria-label": "hidden card" });
}

/** The cards of a hand, the higher first. */
export function ordered(hand) {
  return cards(hand)
    .sort((a, b) => RANKS.indexOf(a[0]) - RANKS.indexOf(b[0]) || SUITS.indexOf(a[1]) - SUITS.indexOf(b[1]))
    .join("");
}

/** Small cards in running text. */
export function inline(text) {
  return cards(text).map((card) =>
    make(
      "span",
      { className: "small-card", "data-suit": card[1], role: "img", "aria-label": cardName(card) },
      make("span", { "aria-hidden": "true" }, pip(card) + GLYPHS[card[1]]),
    ),
  );
}

/** One decimal, unless it is never or always. */
export function percent(share) {
  return share === 0 || share === 1 ? `${100 * share}%` : `${(100 * share).toFixed(1)}%`;
}

/** A whole number with commas. */
export function grouped(number) {
  return number.toLocaleString("en");
}

/** How many there are of a thing, such as `1 hand` and `1,200 hands`. */
export function counted(number, thing) {
  return `${grouped(number)} ${thing}${number === 1 ? "" : "s"}`;
}

export function signed(value, digits = 0) {
  const text = Math.abs(value).toFixed(digits);
  return (Number(text) === 0 ? "" : value < 0 ? "\u2212" : "+") + text;
}

export function capital(text) {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** `fold`, `call 10`, `bet 20`, `raise to 40`. */
export function said(action) {
  if (action.amount === null) return action.word;
  return `${action.word} ${action.word === "raise" ? "to " : ""}${action.amount}`;
}

/** The colour of an action: fold, call or raise. */
export function tone(letter) {
  return { f: "fold", c: "call", r: "raise" }[letter];
}

export class Refused extends Error {
  constructor(status, message, nearest = null) {
    super(message);
    this.status = status;
    this.nearest = nearest; // where an address was last right
  }
}

/** The JSON that the server answers; throws Refused with its reason. A signal calls the question off. */
export async function ask(path, body, signal) {
  const options =
    body === undefined
      ? { signal }
      : { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) };
  return answer(await reach(path, options));
}

/**
 * The answer to a question that the server works on for a while, and that it takes again when it is busy.
 *
 * `hears` is told the share of the work that is done, where the server says it.
 */
export async function askUntilThere(path, signal, hears = () => {}) {
  for (;;) {
    try {
      const found = await ask(path, undefined, signal);
      if (!found.working) return found;
      hears(found.done ?? 0);
    } catch (error) {
      if (signal.aborted || error.status !== BUSY) throw error;
      await new Promise((resume) => setTimeout(resume, AGAIN));
    }
    if (signal.aborted) throw new Refused(0, "called off");
  }
}

/** A text file that the server writes. */
export async function askText(path) {
  const response = await reach(path, {});
  return response.ok ? response.text() : answer(response);
}

export async function remove(path) {
  return answer(await reach(path, { method: "DELETE" }));
}

async function reach(path, options) {
  try {
    return await fetch(path, options);
  } catch {
    throw new Refused(0, "The server does not answer. Is it still running?");
  }
}

async function answer(response) {
  const value = await response.json().catch(() => ({ error: `The server answered ${response.status}.` }));
  if (!response.ok) throw new Refused(response.status, value.error, value.nearest);
  return value;
}

/** Show a problem at the top of the page; nothing hides it. */
export function notice(message = "") {
  const place = find("notice");
  place.textContent = message;
  place.hidden = !message;
}

/** What is played and by whom; asked for once. */
export const game = ask("/api/game");

/** The cards of a board that are there in a round. */
export function boardIn(rules, board, round) {
  const count = rules.board_cards.slice(0, round + 1).reduce((sum, cards) => sum + cards, 0);
  return cards(board).slice(0, count).join("");
}
