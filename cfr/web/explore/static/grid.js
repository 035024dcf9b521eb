// The grid of the classes of hands, 13x13 in hold'em: its cells, the one that is kept, and the arrow keys between them.

import { RANKS, make } from "../../static/page.js";
import * as tip from "./tip.js";

const SIZE = RANKS.length;
const STEPS = {
  ArrowLeft: [0, -1],
  ArrowRight: [0, 1],
  ArrowUp: [-1, 0],
  ArrowDown: [1, 0],
  Home: [0, 1 - SIZE],
  End: [0, SIZE - 1],
};

/** The names of the classes, row by row: AA, AKs, ... */
export const CLASSES = [...RANKS].flatMap((_, row) => [...RANKS].map((_, column) => className(row, column)));

/**
 * Fill a grid with cells.
 *
 * @param place the grid
 * @param layers class names of the bars of a cell
 * @param select called with the number of a cell that is clicked, or comes into focus
 * @param hands gives what the tip of a cell says; it opens under the mouse, and where the keyboard has its focus
 * @returns the `cells`, and `mark`, which shows that one is kept
 */
export function handGrid(place, layers, select, hands) {
  const cells = CLASSES.map((name, number) => {
    const cell = make(
      "button",
      { type: "button", className: "cell", role: "gridcell", tabIndex: number ? -1 : 0 },
      layers.map((layer) => make("span", { className: layer })),
      make("span", { className: "name" }, name),
      make("span", { className: "value" }),
    );
    const point = () => tip.show(cell, () => hands(number));
    cell.addEventListener("pointerenter", (event) => {
      if (event.pointerType === "mouse") point();
    });
    cell.addEventListener("focus", () => {
      select(number);
      if (cell.matches(":focus-visible")) point();
    });
    cell.addEventListener("click", () => select(number));
    return cell;
  });
  let kept = 0;
  const mark = (chosen) => {
    kept = chosen;
    cells.forEach((cell, number) => {
      cell.tabIndex = number === kept ? 0 : -1;
      cell.classList.toggle("kept", number === kept);
      cell.setAttribute("aria-selected", String(number === kept));
    });
  };
  place.append(...[...RANKS].map((_, row) => make("div", { role: "row" }, cells.slice(SIZE * row, SIZE * row + SIZE))));
  place.addEventListener("pointerleave", tip.close);
  place.addEventListener("focusout", (event) => {
    if (!place.contains(event.relatedTarget)) tip.close();
  });
  place.addEventListener("keydown", (event) => {
    const step = STEPS[event.key];
    if (!step) return;
    event.preventDefault();
    const row = within(Math.floor(kept / SIZE) + step[0]);
    const column = within((kept % SIZE) + step[1]);
    cells[SIZE * row + column].focus();
  });
  return { cells, mark };
}

function within(place) {
  return Math.min(SIZE - 1, Math.max(0, place));
}

function className(row, column) {
  const [high, low] = [RANKS[Math.min(row, column)], RANKS[Math.max(row, column)]];
  return high + low + (row === column ? "" : row < column ? "s" : "o");
}
