// A choice of a few, as buttons beside each other, which the browser remembers.

import { find, make } from "./page.js";

/**
 * Fill a place with the choices.
 *
 * @param id the place, a radio group
 * @param key under which the choice is remembered
 * @param options pairs of a value and its name; the first is chosen unless another one is remembered
 * @param changed called with each choice, for the first time at once
 * @returns a function that chooses a value
 */
export function segments(id, key, options, changed) {
  const values = options.map(([value]) => value);
  const buttons = options.map(([value, name]) =>
    make("button", { type: "button", role: "radio", "data-value": value, onclick: () => choose(value) }, name),
  );
  const choose = (value) => {
    try {
      localStorage.setItem(key, value);
    } catch {
      /* storage may be off */
    }
    for (const button of buttons) {
      const chosen = button.dataset.value === value;
      button.setAttribute("aria-checked", String(chosen));
      button.tabIndex = chosen ? 0 : -1;
    }
    changed(value);
  };
  const place = find(id);
  place.replaceChildren(...buttons);
  place.addEventListener("keydown", (event) => {
    const step = { ArrowLeft: -1, ArrowUp: -1, ArrowRight: 1, ArrowDown: 1 }[event.key];
    if (!step) return;
    event.preventDefault();
    const next = (buttons.findIndex((button) => button.tabIndex === 0) + step + values.length) % values.length;
    choose(values[next]);
    buttons[next].focus();
  });
  let kept = null;
  try {
    kept = localStorage.getItem(key);
  } catch {
    /* storage may be off */
  }
  choose(values.includes(kept) ? kept : values[0]);
  return choose;
}
