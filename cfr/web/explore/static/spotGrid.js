// The 13x13 grid of a spot: bars of what hands do, their EVs, or two plays in the halves of each cell; and its legend.

import { difference } from "../../static/difference.js";
import { capital, find, make, percent } from "../../static/page.js";
import { heat, short, written } from "../../static/values.js";

const ACTIONS = ["fold", "call", "raise"];

let spot = null; // what is drawn
let height = "reach"; // of the bars
let compares = false; // whether cells show two plays

/** Draw a spot on the cells; `look` has `view`, `source`, `height`, and `exact`: whether there is a solution. */
export function drawGrid(cells, shown, look) {
  [spot, height] = [shown, look.height];
  compares = Boolean(spot.strategy && (spot.names || look.source === "compare"));
  const evs = !compares && look.view === "ev" && spot.has_values ? (spot.values?.classes.ev ?? []) : null;
  const most = Math.max(0, ...(evs ?? []).map((ev, number) => (spot.weight[number] ? Math.abs(ev) : 0)));
  find("grid").classList.toggle("valued", evs !== null);
  find("grid").classList.toggle("compared", compares);
  const late = spot.round > 1; // there little of a hand is left, and bars are low
  const whole = isRelative() ? Math.max(...spot.weight) || 1 : 1;
  find("height").hidden = !late || compares;
  find("shown").hidden = !spot.has_values && !look.exact && !late;
  find("view").hidden = compares || !spot.has_values;
  find("unit").hidden = !spot.has_values;
  cells.forEach((cell, number) => {
    const ev = spot.weight[number] ? (evs?.[number] ?? null) : null;
    stripes(cell, spot.mix, number);
    if (compares) stripes(cell.children[1], spot.strategy.mix, number);
    cell.classList.toggle("alone", compares && spot.strategy.weight?.[number] === 0);
    const change = compares ? difference(spot, number) : null;
    cell.style.setProperty("--weight", compares ? Number(spot.weight[number] > 0) : spot.weight[number] / whole);
    cell.style.setProperty("--heat", change ? change.size : ev === null ? 0 : heat(ev, most));
    cell.classList.toggle("absent", spot.weight[number] === 0);
    cell.classList.toggle("losing", ev < 0);
    cell.lastChild.textContent = change ? change.text : ev === null ? (evs ? "" : share(number)) : short(ev);
    cell.setAttribute("aria-label", `${spot.classes[number]}: ${change?.spoken || spoken(number, ev)}`);
  });
  find("legend").replaceChildren(...(compares ? comparison() : evs ? scale(most) : swatches()), heightSaid());
}

/** How often a class takes its likeliest action, for a cell. */
function share(number) {
  if (!spot.weight[number]) return "";
  return `${Math.round(100 * Math.max(...legal(spot).map((name) => spot.mix[name][number])))}%`;
}

function stripes(element, mix, number) {
  let sum = 0;
  for (const name of ACTIONS) {
    sum += mix[name]?.[number] ?? 0;
    element.style.setProperty(`--${name}-end`, `${100 * sum}%`);
  }
}

/** Whether a bar is as high as part of the highest one, on late rounds. */
function isRelative() {
  return height === "relative" && spot.round > 1;
}

function heightSaid() {
  const isPartial = Math.min(...spot.weight) < 0.999;
  if (!spot.played[spot.seat]) return make("span", { className: "faint" }, "Hatched: never played");
  if (compares) return make("span", { className: "faint" }, "All bars have the same height");
  const most = Math.max(...spot.weight);
  const relative = isRelative() ? `, as part of ${percent(most)}` : "";
  const said = isPartial ? `Height: how much of the hand gets here${relative}` : "Every hand gets here";
  return make("span", { className: "faint" }, said);
}

function comparison() {
  const word = capital(spot.actions.at(-1).word);
  return [
    ...swatches(),
    make(
      "span",
      {},
      `Above: ${upperName(spot)}. Below: ${lowerName(spot)}. ${word[0]}+23: ${word.toLowerCase()}s 23 points more often below`,
    ),
  ];
}

/** Whose play a compared cell shows above, and whose below. */
export function upperName(spot) {
  return spot.names?.upper ?? "strategy";
}

export function lowerName(spot) {
  return spot.names?.lower ?? "exact";
}

function spoken(number, ev) {
  const weight = spot.weight[number];
  if (!weight) return "does not get here";
  if (!spot.played[spot.seat]) return `never played, would ${wouldDo(number)}`;
  const mix = legal(spot).map((name) => `${word(spot, name)} ${percent(spot.mix[name][number])}`);
  const worth = ev === null ? [] : [`EV ${written(ev, "bb")} big blinds`];
  return `${[...worth, ...mix].join(", ")}; reach ${percent(weight)}`;
}

function wouldDo(number) {
  return legal(spot)
    .map((name) => `${word(spot, name)} ${percent(spot.mix[name][number])}`)
    .join(", ");
}

function swatches() {
  return legal(spot).map((name) => make("span", {}, make("span", { className: `swatch ${name}` }), capital(word(spot, name))));
}

function scale(most) {
  if (!most) return [];
  return [
    make("span", {}, short(-most), make("span", { className: "scale", "aria-hidden": "true" }), short(most)),
    make("span", {}, "EV of the hand in big blinds"),
  ];
}

export function legal(spot) {
  return ACTIONS.filter((name) => name in spot.mix);
}

export function word(spot, name) {
  return spot.actions.find((action) => action.name === name).word;
}
