// The numbers of one class of hands: each combination's reach, frequencies, expected values and equity.

import { RANKS, capital, cards, find, inline, make, ordered, percent } from "../../static/page.js";
import { written } from "../../static/values.js";

const MOST_NAMED = 2; // hands of a row

/** Draw the selected class, as `handsOf` says. */
export function drawDetail(...said) {
  const [head, table, ...why] = handsOf(...said);
  const scroll = make("div", { className: "scroll", tabIndex: 0, role: "group", ariaLabel: "Each hand of the class" }, table);
  find("detail").replaceChildren(head, scroll, ...why);
}

/**
 * What is said of the hands of a class: its head, the table of its hands, and why they are played so, if that is odd.
 *
 * @param spot what the server answered, with its `values` if they are there
 * @param number the class
 * @param names the legal actions, each with its `name` and its `word` here
 * @param unit of expected values
 */
export function handsOf(spot, number, names, unit) {
  const board = new Set(cards(spot.board));
  const places = members(spot, number).filter((place) => !cards(spot.hands[place]).some((card) => board.has(card)));
  const rows = alike(places, (place) => numbersOf(spot, place, names)).map((group) => handRow(spot, group, names, unit));
  const weight = spot.weight[number];
  const classes = spot.values?.classes;
  const played = spot.played[spot.seat];
  const mix = weight ? names.map(({ name }) => spot.mix[name][number]) : wouldBe(spot, number, names);
  const said = names.map(({ word }, place) => `${word} ${percent(mix[place])}`).join(", ");
  const known = mix.some((share) => share > 0);
  const summary = !rows.length
    ? "on the board"
    : weight && played
      ? said
      : `${played ? "does not get here" : "never played"}${known ? `; would ${said}` : ""}`;
  return [
    make(
      "div",
      { className: "detail-head" },
      make("h2", {}, spot.classes[number]),
      make(
        "p",
        {},
        summary,
        weight && weight < 1 && played ? make("span", { className: "faint" }, ` \u00b7 reach ${percent(weight)}`) : null,
      ),
      weight && classes ? worth({ ev: classes.ev[number], equity: classes.equity[number] }) : null,
      weight && spot.strategy ? beside(spot, number, names) : null,
    ),
    rows.length ? table(spot, names, unit, rows) : "",
    ...(isContradicted(spot, number)
      ? [make("p", { className: "why faint" }, `Another action wins more than the play. ${spot.values.why}`)]
      : []),
  ];
}

/** Whether the best EV of a hand of the class is of another action than it takes most. */
function isContradicted(spot, number) {
  return members(spot, number).some((place) => spot.values?.contradicted?.[place]);
}

/** What the hands of a class that does not get there would do on average. */
function wouldBe(spot, number, names) {
  const hands = members(spot, number).filter((place) => names.some(({ name }) => spot.frequencies[name][place] > 0));
  return names.map(({ name }) => hands.reduce((sum, place) => sum + spot.frequencies[name][place], 0) / (hands.length || 1));
}

/** What the strategy does with the class, and what playing as solved gains here. */
function beside(spot, number, names) {
  const whose = spot.names?.upper ?? "Strategy";
  if (spot.strategy.weight?.[number] === 0) return make("p", { className: "worth faint" }, `${whose}: does not get here`);
  const mix = names.map(({ name, word }) => `${word} ${percent(spot.strategy.mix[name][number])}`).join(", ");
  const gain = spot.gain?.classes[number] ?? null;
  const gained = gain === null ? "" : ` \u00b7 exact play gains ${written(gain, "bb")} big blinds here`;
  return make("p", { className: "worth faint" }, `${whose}: ${mix}${gained}`);
}

/** EV in both units and equity, of a class or of the whole range. */
export function worth({ ev, equity }) {
  if (ev === null) return make("p", { className: "worth faint" }, "no EV: no hand of the opponent gets here");
  return make(
    "p",
    { className: "worth" },
    "EV ",
    make("b", {}, written(ev, "bb")),
    " big blinds ",
    make("span", { className: "faint" }, `(${written(ev, "mbb")} mbb)`),
    ", ",
    make("span", { className: "together" }, "equity ", make("b", {}, percent(equity))),
  );
}

function table(spot, names, unit, rows) {
  const className = spot.has_values ? "valued" : "";
  return make("table", { className }, head(spot, names, unit), make("tbody", {}, rows));
}

function head(spot, names, unit) {
  const second = (text) => (spot.has_values ? make("small", {}, text) : null);
  const column = (...content) => make("th", { scope: "col" }, ...content);
  return make(
    "thead",
    {},
    make(
      "tr",
      {},
      column("Hand"),
      column("Reach"),
      names.map(({ word }) => column(capital(word), second("EV"))),
      make("td", { className: "mix-box" }),
      ...(spot.has_values ? [column("EV", second(unit)), column("Equity")] : []),
    ),
  );
}

function numbersOf(spot, place, names) {
  const values = spot.values?.hands;
  return [
    spot.reach[place],
    ...names.map(({ name }) => spot.frequencies[name][place]),
    ...(values ? [values.ev[place], values.equity[place], ...names.map(({ name }) => values.action_ev[name][place])] : []),
  ];
}

/** Hands in groups that have the same `numbers`: those that suits do not tell apart. */
export function alike(places, numbers) {
  const groups = new Map();
  for (const place of places) {
    const name = numbers(place).join();
    groups.set(name, [...(groups.get(name) ?? []), place]);
  }
  return [...groups.values()];
}

/** The hands of a row: all of a few, else the first ones and how many more. */
export function handNames(hands) {
  const shown = hands.length > MOST_NAMED ? hands.slice(0, 1) : hands;
  const more = hands.length - shown.length;
  return [
    ...shown.map((hand) => make("span", { className: "held" }, inline(ordered(hand)))),
    ...(more ? [make("span", { className: "held faint", title: hands.map(ordered).join(" ") }, `+${more}`)] : []),
  ];
}

function handRow(spot, places, names, unit) {
  const [place] = places;
  const hands = places.map((each) => spot.hands[each]);
  const hand = make("th", { scope: "row" }, handNames(hands));
  const held = hands.join(" ");
  const reach = spot.reach[place];
  const isUnknown = !names.some(({ name }) => spot.frequencies[name][place] > 0);
  if (isUnknown) {
    const columns = names.length + 1 + (spot.has_values ? 2 : 0);
    return make(
      "tr",
      { className: "absent", "data-hands": held },
      hand,
      make("td", {}, percent(reach)),
      make("td", { colSpan: columns, className: "unreached" }, "unreached"),
    );
  }
  const values = spot.values?.hands;
  const best = values && Math.max(...names.map(({ name }) => values.action_ev[name][place] ?? -Infinity));
  const actions = names.map(({ name }) => {
    const ev = values?.action_ev[name][place];
    return make(
      "td",
      {},
      make("span", {}, percent(spot.frequencies[name][place])),
      spot.has_values
        ? make("small", { className: values && ev === best ? "best" : "" }, values ? written(ev, unit) : "\u2026")
        : null,
    );
  });
  const mix = make(
    "div",
    { className: "mix", "aria-hidden": "true" },
    names.map(({ name }) => make("span", { className: name, "--share": spot.frequencies[name][place] })),
  );
  const equity = values?.equity[place];
  return make(
    "tr",
    { className: reach ? "" : "absent would", "data-hands": held },
    hand,
    make("td", {}, reach ? percent(reach) : "never"),
    actions,
    make("td", { className: "mix-box" }, mix),
    ...(spot.has_values
      ? [
          make("td", { className: "ev" }, values ? written(values.ev[place], unit) : "\u2026"),
          make("td", {}, !values ? "\u2026" : equity === null ? "\u2013" : percent(equity)),
        ]
      : []),
  );
}

/** The numbers of the hands of a class, which the server names such as AhAs, the higher card first. */
export function members(spot, number) {
  if (!spot.members) {
    spot.members = spot.classes.map(() => []);
    const places = new Map(spot.classes.map((name, place) => [name, place]));
    spot.hands.forEach((hand, place) => spot.members[places.get(classOf(hand))].push(place));
  }
  return spot.members[number];
}

/** The class of a hand of two cards: AKs of AsKs. */
export function classOf(hand) {
  const [high, low] = [hand[0], hand[2]].sort((a, b) => RANKS.indexOf(a) - RANKS.indexOf(b));
  return high + low + (high === low ? "" : hand[1] === hand[3] ? "s" : "o");
}
