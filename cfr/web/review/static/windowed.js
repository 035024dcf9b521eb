// A list of any length: only the rows in sight are in the document, and they come from the server part by part.

import { find, make, notice } from "../../static/page.js";

const AROUND = 6; // rows above and below those in sight
const MOST_HEIGHT = 8e6; // px; browsers draw no box that is much taller
const MOST_PARTS = 40; // that are kept

export class WindowedList {
  #place;
  #all = make("ol", { className: "losses windowed" });
  #part;
  #load;
  #make;
  #count = 0;
  #parts = new Map(); // by number; those used last are last
  #drawn = new Map(); // by place in the list
  #loading = false;
  #calling = new AbortController();

  /**
   * A list in a box that scrolls; `--row` is the height of a row in px.
   *
   * @param id of the box
   * @param part how many rows come at a time
   * @param load asks for rows from a place on; takes the place and a signal that calls the question off
   * @param row makes the element of a row
   */
  constructor(id, part, load, row) {
    [this.#place, this.#part, this.#load, this.#make] = [find(id), part, load, row];
    this.#place.replaceChildren(this.#all);
    this.#place.addEventListener("scroll", () => this.#draw());
    new ResizeObserver(() => this.#draw()).observe(this.#place);
  }

  /** Another list: how many rows it has, and the first of them. */
  fill(count, rows) {
    this.#calling.abort();
    this.#calling = new AbortController();
    [this.#count, this.#loading] = [count, false];
    this.#parts = new Map([[0, rows]]);
    this.#drawn.clear();
    this.#all.replaceChildren();
    this.#place.scrollTop = 0;
    this.#draw();
  }

  /** Focus the link of the row so many rows on from the one that has the focus. */
  go(step) {
    const current = document.activeElement.closest("[data-place]");
    const { row, view, top, stretch } = this.#sight();
    const next = current && this.#all.contains(current) ? Number(current.dataset.place) + step : Math.ceil(top / row);
    const place = Math.min(Math.max(next, 0), this.#count - 1);
    if (place * row < top) this.#place.scrollTop = (place * row) / stretch;
    if ((place + 1) * row > top + view) this.#place.scrollTop = Math.ceil(((place + 1) * row - view) / stretch);
    this.#draw();
    this.#drawn.get(place)?.querySelector("a")?.focus({ preventScroll: true });
  }

  /** What is in sight, in px of a list without bounds; `stretch` of them are one px of the box that scrolls. */
  #sight() {
    const row = Number.parseFloat(getComputedStyle(this.#place).getPropertyValue("--row"));
    const view = this.#place.clientHeight;
    const whole = this.#count * row;
    const height = Math.min(whole, MOST_HEIGHT);
    const stretch = height > view ? (whole - view) / (height - view) : 1;
    return { row, view, height, stretch, top: this.#place.scrollTop * stretch };
  }

  #draw() {
    const { row, view, height, top } = this.#sight();
    if (!view) return; // nobody sees it
    this.#all.style.height = `${height}px`;
    const first = Math.max(Math.floor(top / row) - AROUND, 0);
    const last = Math.min(Math.ceil((top + view) / row) + AROUND, this.#count);
    for (const [place, element] of this.#drawn) {
      const outOfSight = place < first || place >= last;
      if (!outOfSight && !(element.classList.contains("coming") && this.#rowAt(place))) continue;
      element.remove();
      this.#drawn.delete(place);
    }
    const shift = this.#place.scrollTop - top;
    for (let place = first; place < last; place += 1) {
      const element = this.#drawn.get(place) ?? this.#added(place);
      element.style.transform = `translateY(${place * row + shift}px)`;
    }
    this.#ask(first, last);
  }

  #rowAt(place) {
    return this.#parts.get(Math.floor(place / this.#part))?.[place % this.#part];
  }

  #added(place) {
    const known = this.#rowAt(place);
    const element = known ? this.#make(known) : make("li", { className: "lost coming faint" }, "\u2026");
    element.dataset.place = place;
    element.ariaSetSize = this.#count;
    element.ariaPosInSet = place + 1;
    this.#drawn.set(place, element);
    const next = [...this.#all.children].find((each) => Number(each.dataset.place) > place);
    this.#all.insertBefore(element, next ?? null); // in order, for whoever reads or tabs through it
    return element;
  }

  /** One part at a time, of those in sight then. */
  async #ask(first, last) {
    if (this.#loading) return;
    let number = Math.floor(first / this.#part);
    while (this.#parts.has(number)) number += 1;
    if (number * this.#part >= last) return;
    const { signal } = this.#calling;
    this.#loading = true;
    try {
      const rows = await this.#load(number * this.#part, signal);
      if (signal.aborted) return;
      this.#parts.set(number, rows);
      if (this.#parts.size > MOST_PARTS) this.#parts.delete(this.#parts.keys().next().value);
    } catch (error) {
      if (!signal.aborted) notice(error.message);
      return;
    } finally {
      if (!signal.aborted) this.#loading = false;
    }
    this.#draw();
  }
}
