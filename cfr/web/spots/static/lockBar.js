// A bar of an action's shares, whose borders are dragged by mouse or finger, or moved by keys.

import { capital, make } from "../../static/page.js";

/**
 * A bar with a handle between each two actions.
 *
 * @param actions each with its `name`, its `word`, and the `share` it begins with
 * @param changed called with the shares in whole percent, in the order of the actions
 */
export function lockBar(actions, changed) {
  const ends = []; // where each action but the last one ends, in percent
  let sum = 0;
  for (const { share } of actions.slice(0, -1)) ends.push(Math.round((sum += 100 * share)));
  const parts = actions.map(({ name }) => make("span", { className: name }, make("b", {})));
  const bar = make("div", { className: "lock-bar" }, parts);
  const handles = ends.map((_, place) => handle(place));
  bar.append(...handles);

  function handle(place) {
    const [before, after] = [actions[place].word, actions[place + 1].word];
    const element = make("span", {
      className: "handle",
      role: "slider",
      tabIndex: 0,
      "aria-label": `Border between ${before} and ${after}, in percent`,
      "aria-orientation": "horizontal",
    });
    element.addEventListener("pointerdown", (event) => {
      event.preventDefault();
      element.setPointerCapture(event.pointerId);
      element.focus();
    });
    element.addEventListener("pointermove", (event) => {
      if (!element.hasPointerCapture(event.pointerId)) return;
      const { left, width } = bar.getBoundingClientRect();
      move(place, Math.round((100 * (event.clientX - left)) / width));
    });
    element.addEventListener("keydown", (event) => {
      const step = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1, PageDown: -10, PageUp: 10 }[event.key];
      const end = { Home: 0, End: 100 }[event.key] ?? (step && ends[place] + step);
      if (end === undefined) return;
      event.preventDefault();
      event.stopPropagation();
      move(place, end);
    });
    return element;
  }

  /** A border pushes those that are in its way. */
  function move(place, end) {
    ends[place] = Math.min(100, Math.max(0, end));
    for (let before = 0; before < place; before++) ends[before] = Math.min(ends[before], ends[place]);
    for (let after = place + 1; after < ends.length; after++) ends[after] = Math.max(ends[after], ends[place]);
    draw();
    changed(shares());
  }

  function shares() {
    return actions.map((_, place) => (ends[place] ?? 100) - (ends[place - 1] ?? 0));
  }

  function draw() {
    shares().forEach((share, place) => {
      parts[place].style.setProperty("--share", share / 100);
      parts[place].firstChild.textContent = share >= 14 ? `${capital(actions[place].word)} ${share}%` : "";
    });
    handles.forEach((each, place) => {
      each.style.setProperty("--end", ends[place] / 100);
      each.setAttribute("aria-valuemin", 0);
      each.setAttribute("aria-valuemax", 100);
      each.setAttribute("aria-valuenow", ends[place]);
      const said = shares().map((share, number) => `${actions[number].word} ${share}%`);
      each.setAttribute("aria-valuetext", said.join(", "));
    });
  }

  draw();
  return bar;
}
