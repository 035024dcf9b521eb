// The felt: two seats with their cards and bets, the board and the pot.

import { back, cards, face, find, make, ordered, said } from "./page.js";

export class Felt {
  #parts = {};
  #drawn = { number: 0, board: 0, shown: false }; // what was on the table already: only new cards move

  /** Lay the felt in the place with this id. */
  constructor(id) {
    const part = (name, ...children) => (this.#parts[name] = make("div", { className: name }, ...children));
    find(id).replaceChildren(
      part("seat bot-seat"),
      part("bet bot-bet"),
      make("div", { className: "middle" }, part("board"), part("pot")),
      part("bet your-bet"),
      part("seat your-seat"),
    );
  }

  /** Draw a `hand`, see docs/web.md, or the empty table for null; `places` is how many cards a whole board has. */
  draw(hand, places) {
    if (this.#drawn.number !== hand?.number) this.#drawn = { number: hand?.number ?? 0, board: 0, shown: false };
    this.#drawSeat(hand, "bot", hand?.bot_cards ?? null);
    this.#drawSeat(hand, "you", hand?.cards ?? null);
    const board = cards(hand?.board ?? "");
    const empty = Array.from({ length: places - board.length }, () => make("span", { className: "card empty" }));
    const faces = board.map((card, place) => face(card, place >= this.#drawn.board ? "new" : ""));
    this.#parts.board.replaceChildren(...faces, ...empty);
    this.#parts.pot.replaceChildren(...(hand ? ["Pot ", make("b", {}, hand.pot)] : []));
    this.#drawn.board = board.length;
    this.#drawn.shown = Boolean(hand?.bot_cards);
  }

  #drawSeat(hand, who, shown) {
    const own = who === "you";
    const place = this.#parts[own ? "seat your-seat" : "seat bot-seat"];
    const bet = this.#parts[own ? "bet your-bet" : "bet bot-bet"];
    if (!hand) {
      place.replaceChildren();
      bet.replaceChildren();
      return;
    }
    const button = (hand.seat === "button") === own;
    const faces = shown
      ? cards(ordered(shown)).map((card) => face(card, own || this.#drawn.shown ? "" : "new"))
      : [back(), back()];
    const folded = hand.folded === who;
    const last = hand.steps.filter((step) => step.who === who && step.round === hand.round).at(-1);
    const made = hand.made ? hand.made[who] : "";
    place.classList.toggle("folded", folded);
    place.classList.toggle("won", hand.over && (own ? hand.chips > 0 : hand.chips < 0));
    place.classList.toggle("turn", !hand.over && who === (hand.acting ?? "you"));
    place.replaceChildren(
      make("div", { className: "hole" }, faces),
      make(
        "div",
        { className: "plate" },
        make("span", { className: "who" }, own ? (hand.you ?? "You") : hand.bot),
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
}

/** How a hand ended, in a sentence. */
export function ending(hand) {
  const amount = Math.abs(hand.chips);
  if (hand.folded) return hand.folded === "you" ? `You fold and lose ${amount}.` : `The bot folds, you win ${amount}.`;
  const made = hand.made ? `, ${hand.made.you} against ${hand.made.bot}` : "";
  return hand.chips > 0
    ? `You win ${amount}${made}.`
    : hand.chips < 0
      ? `You lose ${amount}${made}.`
      : `You split the pot${made}.`;
}

/** `The bot raises to 40.` where it acted last, otherwise nothing. */
export function botSaid(hand) {
  const last = hand.steps.at(-1);
  if (last?.who !== "bot") return "";
  const [verb, ...rest] = said(last).split(" ");
  return `The bot ${[`${verb}s`, ...rest].join(" ")}.`;
}
