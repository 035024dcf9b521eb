// Runouts: a map of the next card, with what each is worth to the seat to act on it and how often that seat bets.
// It is of the strategy, or of a solution.

import { RANKS, SUITS, ask, capital, cardName, find, inline, make, percent } from "../../static/page.js";
import { heat, short, written } from "../../static/values.js";

const AGAIN = 300; // ms
const TURNED = "(max-width: 780px)"; // the map has a column for each suit there, see screens.css
let go = null;
let shown = ""; // the first question that the maps on the page can ask
let turn = 0; // of the question that is open
let chosen = 0; // which of the endings

export function start(visit) {
  go = visit;
}

/**
 * Offer the maps that follow a spot; none where no single card is to come.
 *
 * @param spot the strategy's, or a solved one
 * @param whose play it is, for the caption
 * @param question gives the address of the map after a line
 */
export function show(spot, whose, question) {
  const { endings, round } = spot;
  const isOffered = round > 0 && endings.length > 0;
  const first = isOffered ? question(endings[0].line) : "";
  if (first === shown) return;
  shown = first;
  turn += 1;
  const place = find("runouts");
  place.hidden = !isOffered;
  if (place.hidden) return;
  chosen = Math.min(chosen, endings.length - 1);
  const name = round === 1 ? "turn" : "river";
  const map = make("div", { id: "runouts-map" });
  const said = make("p", { className: "faint", role: "status" });
  const bar = make("span", { className: "solving", "aria-hidden": "true" }, make("span", {}));
  const select = make(
    "select",
    { id: "runouts-line", "aria-labelledby": "runouts-title", onchange: () => ask_() },
    endings.map(({ words }, number) => make("option", { value: number, selected: number === chosen }, words.join(", "))),
  );
  const button = make("button", { type: "button", className: "button", onclick: () => ask_() }, `Show every ${name} card`);
  place.replaceChildren(
    make("div", { className: "panel-head" }, make("h2", { id: "runouts-title" }, `Every ${name} card after`), select, button),
    said,
    map,
  );

  /** The text of a working map stays the same, and is said once. */
  function say({ seat, working, done }) {
    const text = working
      ? `Working out every ${name} card: bets, then EVs`
      : `${capital(seat)} to act on the ${name}, ${whose}: EV in big blinds, and how often it bets (bar). A card leads to its spot.`;
    bar.firstElementChild.style.setProperty("--share", done);
    if (said.textContent !== text) said.replaceChildren(text, ...(working ? [bar] : []));
  }

  async function ask_() {
    chosen = Number(select.value);
    const mine = ++turn;
    const { line } = endings[chosen];
    let found;
    do {
      if (found) await new Promise((resume) => setTimeout(resume, AGAIN));
      try {
        found = await ask(question(line));
      } catch (error) {
        if (mine === turn) said.textContent = error.message;
        return;
      }
      if (mine !== turn) return;
      button.hidden = true;
      say(found);
      const focused = map.contains(document.activeElement) ? document.activeElement.dataset.card : null;
      const isFirst = !map.hasChildNodes();
      map.replaceChildren(table(found));
      if (isFirst) place.scrollIntoView({ block: "nearest" });
      if (focused) map.querySelector(`[data-card="${focused}"]`)?.focus();
    } while (found.working);
  }
}

/** The arrow keys go from card to card, over those that are on the board. */
function move(event) {
  const step = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] }[event.key];
  const from = event.target.closest(".runout");
  if (!step || !from) return;
  event.preventDefault();
  const [rows, columns] = matchMedia(TURNED).matches ? [step[1], step[0]] : step;
  let [row, column] = ["--row", "--column"].map((name) => Number(from.style.getPropertyValue(name)));
  let next;
  do {
    row += rows;
    column += columns;
    next = event.currentTarget.children[row - 1]?.children[column - 1];
  } while (next && next.tagName !== "BUTTON");
  next?.focus();
}

function table(found) {
  const cards = new Map(found.cards.map((each) => [each.card, each]));
  const evs = found.cards.map(({ ev }) => ev).filter((ev) => ev !== null);
  const mean = evs.reduce((sum, ev) => sum + ev, 0) / Math.max(1, evs.length);
  const most = Math.max(0, ...evs.map((ev) => Math.abs(ev - mean)));
  return make(
    "div",
    { className: "runout-map", role: "grid", "aria-label": "Cards to come; arrow keys move", onkeydown: move },
    [...SUITS].map((suit, row) =>
      make(
        "div",
        { role: "row" },
        [...RANKS].map((rank, column) => cell(found, rank + suit, cards.get(rank + suit), { row, column, mean, most })),
      ),
    ),
  );
}

function cell(found, card, value, { row, column, mean, most }) {
  const place = { role: "gridcell", "--row": row + 1, "--column": column + 1 };
  if (!value) {
    const what = found.board.includes(card) || !found.working ? "on the board" : "not yet worked out";
    return make("span", { ...place, className: "runout gone", "aria-label": `${cardName(card)}: ${what}` }, ...inline(card));
  }
  const { ev, bet } = value;
  const said = [
    ev === null ? (found.working ? "EV not yet worked out" : "no EV") : `EV ${written(ev, "bb")} big blinds`,
    bet === null ? "not reached" : `bets ${percent(bet)}`,
  ];
  return make(
    "button",
    {
      ...place,
      type: "button",
      className: `runout ${ev !== null && ev < mean ? "losing" : ""}`,
      "data-card": card,
      "--heat": ev === null ? 0 : heat(ev - mean, most),
      "--share": bet ?? 0,
      "aria-label": `${cardName(card)}: ${said.join(", ")}`,
      title: said.join(", "),
      onclick: () => go(found.line, found.board + card),
    },
    make("span", { className: "runout-card" }, ...inline(card)),
    make("span", { className: "runout-ev" }, ev === null ? "\u2013" : short(ev)),
    make("span", { className: "runout-bet" }, bet === null ? "\u2013" : `${Math.round(100 * bet)}%`),
  );
}
