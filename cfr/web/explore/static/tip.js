// The tip: a box beside a cell of a grid, with the numbers of its hands. The pointer goes through it to other cells.

import { find } from "../../static/page.js";

const GAP = 8; // px between the cell and the box

let cell = null; // beside which it stands
let content = null; // gives what it says

/** Show the tip of a cell; `of` gives its elements, now and whenever numbers arrive. */
export function show(at, of) {
  close();
  [cell, content] = [at, of];
  cell.setAttribute("aria-describedby", "tip");
  draw();
}

/** Draw the tip anew, if there is one; a cell that is out of sight has none any more. */
export function draw() {
  if (!cell) return;
  if (!cell.offsetParent) {
    close();
    return;
  }
  find("tip").replaceChildren(...content());
  find("tip").hidden = false;
  put();
}

/** Close the tip; whether there was one. */
export function close() {
  if (!cell) return false;
  cell.removeAttribute("aria-describedby");
  cell = null;
  find("tip").hidden = true;
  return true;
}

/** Beside the cell where there is more room; above or below it, cut off, where there is too little. */
function put() {
  const box = find("tip");
  box.style.maxHeight = "";
  const [at, width, height] = [cell.getBoundingClientRect(), box.offsetWidth, box.offsetHeight];
  const [after, below] = [innerWidth - at.right, innerHeight - at.bottom];
  const isBeside = width + GAP <= Math.max(at.left, after);
  const left = isBeside ? (after > at.left ? at.right + GAP : at.left - GAP - width) : (at.left + at.right - width) / 2;
  const room = isBeside ? innerHeight : Math.max(below, at.top) - GAP;
  const tall = Math.min(height, room);
  const top = isBeside ? (at.top + at.bottom - tall) / 2 : below > at.top ? at.bottom + GAP : at.top - GAP - tall;
  box.style.maxHeight = `${room}px`;
  box.style.left = `${within(left, innerWidth - width)}px`;
  box.style.top = `${within(top, innerHeight - tall)}px`;
}

function within(place, most) {
  return Math.max(0, Math.min(most, place));
}

addEventListener("scroll", () => cell && put(), { capture: true, passive: true });
