// Whose play Explore shows, and whose it is compared with, where the server has more than one strategy.

import { find, make } from "../../static/page.js";

let names = []; // of all strategies; the first is the bot's
let changed = null;
const chosen = { strategy: "", with: "" }; // names; empty for the first, and for nobody

/** `whenChanged` is called when somebody chooses. */
export function start(whenChanged) {
  changed = whenChanged;
  for (const field of ["strategy", "with"])
    find(field).addEventListener("change", (event) => {
      chosen[field] = event.target.value;
      if (chosen.with === shownName()) chosen.with = ""; // nobody is compared with himself
      changed();
    });
}

/** Take what an address says; names that the server does not have are left out. */
export function read(parameters, rules) {
  if (!names.length) fill(rules.strategies);
  const known = (field) => (names.includes(parameters.get(field)) ? parameters.get(field) : "");
  chosen.strategy = known("strategy") === names[0] ? "" : known("strategy");
  chosen.with = known("with") === shownName() ? "" : known("with");
  find("strategies").hidden = names.length < 2;
  find("strategy").value = chosen.strategy;
  find("with").value = chosen.with;
  for (const option of find("with").options) option.disabled = option.value === shownName();
}

function fill(strategies) {
  names = strategies.map(({ name }) => name);
  const said = ({ name, exploitability_mbb: loses }) => (loses === null ? name : `${name} (${loses.toFixed(1)} mbb/g)`);
  const options = strategies.map((each) => make("option", { value: each.name }, said(each)));
  options[0].value = "";
  find("strategy").replaceChildren(...options);
  const others = strategies.map((each) => make("option", { value: each.name }, said(each)));
  find("with").replaceChildren(make("option", { value: "" }, "nobody"), ...others);
}

/** The name of the strategy that is shown. */
export function shownName() {
  return chosen.strategy || names[0];
}

/** The name of the strategy that it is compared with, or empty. */
export function comparedName() {
  return chosen.with;
}

/** Whether the bot's strategy is shown. */
export function isFirst() {
  return chosen.strategy === "";
}

/** What is chosen, for an address. */
export function pairs() {
  return Object.entries(chosen)
    .filter(([, name]) => name)
    .map(([field, name]) => [field, encodeURIComponent(name)]);
}

/** The query of a spot, as a strategy plays it. */
export function query(line, board, name = shownName()) {
  const asked = new URLSearchParams({ line, board });
  if (names.length && name !== names[0]) asked.set("strategy", name);
  return asked.toString();
}

/** A spot beside the same spot of another strategy: what is drawn where two are compared. */
export function beside(spot, other, name) {
  const shares = Object.fromEntries(other.actions.map((action) => [action.name, action.share]));
  return { ...spot, strategy: { mix: other.mix, weight: other.weight, shares }, names: { upper: name, lower: shownName() } };
}
