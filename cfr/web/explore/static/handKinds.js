// What the hands of both ranges make and draw to: shares of each kind, and which kinds are chosen.

import { SHORT, capital, find, make, percent } from "../../static/page.js";

const TITLES = { made: "Made hand", draw: "Draw" };
const chosen = { made: new Set(), draw: new Set() }; // names; none chooses all
let changed = null;

/** `whenChanged` is called when somebody chooses. */
export function start(whenChanged) {
  changed = whenChanged;
}

/** Whether hands are left out. */
export function isFiltered(found) {
  return Object.keys(chosen).some((list) => names(found, list).length > 0);
}

/** Whether a hand is of a kind that is chosen; `place` is its number. */
export function isChosen(found, place) {
  return Object.keys(chosen).every((list) => {
    const wanted = names(found, list);
    return !wanted.length || wanted.includes(found[list].names[found[list].of[place]]);
  });
}

/** The chosen names that a spot has: on the river there are no draws. */
function names(found, list) {
  return (found[list]?.names ?? []).filter((name) => chosen[list].has(name));
}

/**
 * Draw the tables.
 *
 * @param found both ranges, as the server has them
 * @param spot whose seat to act does what its hands of a kind do
 * @param actions the legal ones, with `name` and `word`
 */
export function draw(found, spot, actions) {
  const place = find("both-kinds");
  const focused = place.contains(document.activeElement) ? document.activeElement.dataset.kind : null;
  place.hidden = !found.made;
  place.replaceChildren(
    make(
      "div",
      { className: "panel-head" },
      make("h2", {}, "What the hands make"),
      isFiltered(found) ? make("button", { type: "button", className: "text-button", "data-kind": "", onclick: clear }, "Show all") : null,
    ),
    ...Object.keys(TITLES).filter((list) => found[list]).map((list) => table(found, list, spot, actions)),
  );
  if (focused !== null) (place.querySelector(`[data-kind="${focused}"]`) ?? place.querySelector("[data-kind]"))?.focus();
}

function clear() {
  for (const list of Object.values(chosen)) list.clear();
  changed();
}

function toggle(list, name) {
  if (!chosen[list].delete(name)) chosen[list].add(name);
  changed();
}

function table(found, list, spot, actions) {
  const seats = Object.keys(SHORT);
  const shares = Object.fromEntries(seats.map((seat) => [seat, sharesOf(found, list, seat)]));
  const most = Math.max(1e-9, ...Object.values(shares).flat());
  const rows = found[list].names.flatMap((name, number) => {
    if (seats.every((seat) => !shares[seat][number])) return [];
    const isPressed = chosen[list].has(name);
    const button = make(
      "button",
      { type: "button", "aria-pressed": String(isPressed), "data-kind": name, onclick: () => toggle(list, name) },
      capital(name),
    );
    const share = (seat) =>
      make("td", { className: `part ${SHORT[seat]}`, "--share": shares[seat][number] / most }, percent(shares[seat][number]));
    return [
      make(
        "tr",
        { className: isPressed ? "chosen" : "" },
        make("th", { scope: "row" }, button),
        seats.map(share),
        make("td", { className: "plays" }, mix(found, list, number, spot, actions)),
      ),
    ];
  });
  const head = [TITLES[list], ...seats.map((seat) => SHORT[seat]), `${SHORT[found.seat]} plays`];
  return make(
    "table",
    { className: "counts kinds" },
    make("thead", {}, make("tr", {}, head.map((title) => make("th", { scope: "col" }, title)))),
    make("tbody", {}, rows),
  );
}

/** The share of each name in a seat's range. */
function sharesOf(found, list, seat) {
  const { reach } = found.ranges[seat].hands;
  const sums = found[list].names.map(() => 0);
  let total = 0;
  found[list].of.forEach((name, place) => {
    if (name < 0) return;
    sums[name] += reach[place];
    total += reach[place];
  });
  return sums.map((sum) => (total ? sum / total : 0));
}

/** What the seat to act does with its hands of a name. */
function mix(found, list, number, spot, actions) {
  const { reach } = found.ranges[found.seat].hands;
  const places = found[list].of.flatMap((name, place) => (name === number ? [place] : []));
  const shares = mixOf(places, reach, spot, actions);
  if (!shares) return make("span", { className: "faint" }, "\u2013");
  const said = actions.map(({ word }, place) => `${word} ${percent(shares[place])}`).join(", ");
  return [
    make(
      "div",
      { className: "mix", "aria-hidden": "true", title: said },
      actions.map(({ name }, place) => make("span", { className: name, "--share": shares[place] })),
    ),
    make("span", { className: "sr" }, said),
  ];
}

/** Shares of the actions of some hands, by their reach; null where none is there. */
export function mixOf(places, reach, spot, actions) {
  const total = places.reduce((sum, place) => sum + reach[place], 0);
  if (!total) return null;
  return actions.map(({ name }) => places.reduce((sum, place) => sum + reach[place] * spot.frequencies[name][place], 0) / total);
}
