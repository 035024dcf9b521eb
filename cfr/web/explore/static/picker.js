// A dialog in which board cards are picked by mouse, arrow keys, typing or chance.

import { RANKS, SUITS, cardName, cards, face, find, make } from "../../static/page.js";

const SYMBOLS = { "\u2660": "s", "\u2665": "h", "\u2666": "d", "\u2663": "c" };

let taken = [];
let chosen = [];
let wanted = 0;
let settle = null;
const buttons = new Map();

/**
 * Ask for `count` cards that are not among `used`; resolves to their text, or to null if nothing was picked, as it is at
 * once while somebody is picking other cards.
 */
export function pick(title, count, used, start = []) {
  if (find("picker").open) return Promise.resolve(null);
  close(null); // closed already by Escape, but its event is yet to come
  [taken, chosen, wanted] = [used, [...start], count];
  find("picker-title").textContent = title;
  find("typed").value = "";
  update();
  find("picker").showModal();
  const first = [...buttons.values()].find((button) => !button.disabled);
  focusCard(first.dataset.card);
  return new Promise((resolve) => {
    settle = resolve;
  });
}

function close(result) {
  const done = settle;
  settle = null;
  if (find("picker").open) find("picker").close();
  done?.(result);
}

function update() {
  for (const [card, button] of buttons) {
    button.disabled = taken.includes(card);
    button.setAttribute("aria-selected", String(chosen.includes(card)));
  }
  const empty = Math.max(0, wanted - chosen.length);
  find("picked").replaceChildren(
    ...chosen.map((card) => face(card)),
    ...Array.from({ length: empty }, () => make("span", { className: "card empty" })),
  );
}

function choose(card) {
  if (chosen.includes(card)) chosen = chosen.filter((each) => each !== card);
  else if (chosen.length >= wanted) chosen = [card];
  else chosen.push(card);
  update();
  if (chosen.length === wanted) close(chosen.join(""));
}

function random() {
  const free = [...buttons.keys()].filter((card) => !taken.includes(card));
  const dealt = [];
  while (dealt.length < wanted) dealt.push(...free.splice(Math.floor(Math.random() * free.length), 1));
  close(dealt.join(""));
}

function typed(text) {
  const clean = [...text.replace(/10/g, "T").replace(/\s|,|\ufe0e|\ufe0f/g, "")]
    .map((letter) => SYMBOLS[letter] ?? letter)
    .join("");
  const read = cards(clean).map((card) => card[0].toUpperCase() + card[1].toLowerCase());
  const valid = read.every((card, place) => buttons.has(card) && !taken.includes(card) && read.indexOf(card) === place);
  find("typed").setAttribute("aria-invalid", String(!valid || read.length > wanted));
  if (!valid || read.length > wanted) return;
  chosen = read;
  update();
  if (read.length === wanted && clean.length === 2 * wanted) close(chosen.join(""));
}

function focusCard(card) {
  for (const [name, button] of buttons) button.tabIndex = name === card ? 0 : -1;
  buttons.get(card).focus();
}

function move(event) {
  const card = event.target.dataset?.card;
  const step = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] }[event.key];
  if (!card || !step) return;
  event.preventDefault();
  let [row, column] = [SUITS.indexOf(card[1]), RANKS.indexOf(card[0])];
  // Over cards that are taken: the focus never gets stuck on what cannot be picked.
  do {
    row = (row + step[0] + SUITS.length) % SUITS.length;
    column = (column + step[1] + RANKS.length) % RANKS.length;
  } while (buttons.get(RANKS[column] + SUITS[row]).disabled);
  focusCard(RANKS[column] + SUITS[row]);
}

export function start() {
  const rows = [...SUITS].map((suit) =>
    make(
      "div",
      { role: "row" },
      [...RANKS].map((rank) => {
        const card = rank + suit;
        const button = make(
          "button",
          {
            type: "button",
            className: "deck-card",
            "data-card": card,
            "data-suit": suit,
            role: "gridcell",
            tabIndex: -1,
            "aria-label": cardName(card),
            onclick: () => choose(card),
          },
          ...face(card).childNodes,
        );
        buttons.set(card, button);
        return button;
      }),
    ),
  );
  find("deck").replaceChildren(...rows);
  find("deck").addEventListener("keydown", move);
  // Whoever types cards needs no click into the field: the field takes the first key, too.
  find("picker").addEventListener("keydown", (event) => {
    if (event.target === find("typed") || event.metaKey || event.ctrlKey || event.altKey) return;
    if (/^[\dTJQKA\u2660-\u2667]$/i.test(event.key)) find("typed").focus();
  });
  find("random").addEventListener("click", random);
  find("typed").addEventListener("input", (event) => typed(event.target.value));
  find("picker-close").addEventListener("click", () => close(null));
  // The event comes after the closing, perhaps when the next cards are picked already.
  find("picker").addEventListener("close", () => find("picker").open || close(null));
  find("picker").addEventListener("click", (event) => {
    if (event.target === find("picker")) close(null);
  });
}
