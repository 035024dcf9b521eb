// All flops after a line: how often each seat bets, raises and folds on each, to sort, to filter, and to go to.

import { SHORT, askUntilThere, capital, counted, find, inline, make, percent, RANKS } from "../../static/page.js";

const AT_A_TIME = 50; // rows
const KEPT = 8;
const TITLES = { paired: "Pairs", suits: "Suits", straights: "Straights", high: "Highest card" };
const FLOP = "flop"; // the column of names

const known = new Map(); // answers, by query
const wanted = {}; // values by kind; empty for all
let link = null; // the address of a spot
let query = null; // that of a line
let found = null;
let sort = { column: FLOP, falls: true };
let rows = AT_A_TIME;
let asking = null;

/** `given` has `link` to a spot, and `query` of a line for the server. */
export function start(given, rules) {
  [link, query] = [given.link, given.query];
  const said = ({ line, words }) => make("option", { value: line }, words.map(capital).join(", "));
  find("flops-line").replaceChildren(...rules.flop_lines.map(said));
  find("flops-line").addEventListener("change", load);
  find("flops-more").addEventListener("click", () => {
    const before = rows;
    rows += AT_A_TIME;
    drawRows();
    find("flops-table").querySelectorAll("tbody a")[before]?.focus();
  });
}

/** Call off what is being fetched. */
export function leave() {
  asking?.abort();
}

/** Show the flops after what a line does before the flop; of another line, after what was chosen last. */
export function show(line) {
  const before = line.includes("/") ? line.slice(0, line.indexOf("/") + 1) : "";
  const options = [...find("flops-line").options].map(({ value }) => value);
  if (options.includes(before)) find("flops-line").value = before;
  else if (!found) find("flops-line").value = options.includes("rc/") ? "rc/" : options[0];
  return load();
}

async function load() {
  leave();
  asking = new AbortController();
  const { signal } = asking;
  const question = query(find("flops-line").value);
  find("flops").ariaBusy = "true";
  if (!known.has(question)) say("Counting all flops", true);
  try {
    if (!known.has(question)) {
      known.set(question, await askUntilThere(`/api/flops?${question}`, signal));
      if (known.size > KEPT) known.delete(known.keys().next().value);
    }
  } catch (error) {
    if (signal.aborted) return;
    say(error.message);
    find("flops-body").hidden = true;
    return;
  }
  if (signal.aborted) return;
  found = known.get(question);
  if (sort.column !== FLOP && !found.statistics[sort.column]) sort = { column: FLOP, falls: true };
  find("flops-body").hidden = false;
  drawFilters();
  draw();
  find("flops").ariaBusy = "false";
}

function say(text, isWaiting = false) {
  find("flops-said").textContent = text;
  find("flops-said").classList.toggle("waiting", isWaiting);
}

function drawFilters() {
  if (find("flops-filters").children.length) return;
  const selects = Object.entries(found.kinds).map(([kind, { values }]) =>
    make(
      "select",
      {
        "aria-label": TITLES[kind],
        onchange: (event) => {
          wanted[kind] = event.target.value;
          rows = AT_A_TIME;
          draw();
        },
      },
      make("option", { value: "" }, `${TITLES[kind]}: all`),
      values.map((value) => make("option", { value }, kind === "straights" ? `${value} straights` : capital(value))),
    ),
  );
  find("flops-filters").append(...selects);
}

/** The numbers of the flops of the wanted kinds, sorted. */
function places() {
  const all = found.flops.map((_, place) => place);
  const kinds = Object.entries(wanted).filter(([, value]) => value);
  const left = all.filter((place) => kinds.every(([kind, value]) => found.kinds[kind].of[place] === value));
  const way = sort.falls ? -1 : 1;
  if (sort.column === FLOP) return left.sort((one, other) => way * (height(one) - height(other)) || one - other);
  const { frequency } = found.statistics[sort.column];
  const value = (place) => frequency[place] ?? way * 2; // without a number they come last
  return left.sort((one, other) => way * (value(one) - value(other)) || height(other) - height(one));
}

/** The higher, the higher a flop's cards. */
function height(place) {
  const flop = found.flops[place];
  return [0, 2, 4].reduce((sum, card) => 13 * sum + 12 - RANKS.indexOf(flop[card]), 0);
}

function draw() {
  const head = [
    column(FLOP, ["Flop"]),
    ...found.statistics.map(({ name, seat }, number) => column(number, [make("small", {}, SHORT[seat]), capital(words(name))])),
  ];
  const table = find("flops-table");
  const focused = table.contains(document.activeElement) ? document.activeElement.dataset.column : null;
  table.replaceChildren(make("thead", {}, make("tr", {}, head)), make("tbody", { className: "mean" }), make("tbody", {}));
  drawRows();
  if (focused) table.querySelector(`[data-column="${focused}"]`)?.focus();
}

/** A statistic's name without dashes; a soft hyphen breaks it in a narrow column. */
function words(name) {
  return name.replaceAll("-", " ").replace("continuation", "continu\u00adation");
}

function titleOf({ name, seat }) {
  return `${words(name)} of the ${seat}`;
}

function column(name, title) {
  const isSorted = sort.column === name;
  return make(
    "th",
    { scope: "col", "aria-sort": isSorted ? (sort.falls ? "descending" : "ascending") : null },
    make(
      "button",
      {
        type: "button",
        "data-column": name,
        onclick: () => {
          sort = { column: name, falls: !(isSorted && sort.falls) };
          rows = AT_A_TIME;
          draw();
        },
      },
      ...title,
      make("span", { className: "arrow", "aria-hidden": "true" }, isSorted ? (sort.falls ? "\u25be" : "\u25b4") : ""),
    ),
  );
}

function drawRows() {
  const [mean, body] = find("flops-table").tBodies;
  const chosen = places();
  const shown = chosen.slice(0, rows);
  const share = chosen.reduce((sum, place) => sum + found.share[place], 0);
  const line = sort.column === FLOP ? found.line : found.statistics[sort.column].line;
  mean.replaceChildren(
    make(
      "tr",
      {},
      make("th", { scope: "row" }, "All of these"),
      found.statistics.map((each) => number(each, meanOf(each, chosen))),
    ),
  );
  body.replaceChildren(
    ...shown.map((place) =>
      make(
        "tr",
        {},
        make("th", { scope: "row" }, make("a", { href: link(line, found.flops[place]), "data-link": true }, inline(found.flops[place]))),
        found.statistics.map((each) => number(each, each.frequency[place])),
      ),
    ),
  );
  find("flops-more").hidden = shown.length === chosen.length;
  const which = sort.column === FLOP ? "first decision" : `spot: ${titleOf(found.statistics[sort.column])}`;
  say(`${counted(chosen.length, "flop")}, ${percent(Number(share.toFixed(6)))} of all that are dealt. A flop leads to its ${which}.`);
}

/** How often the action is taken on some flops, by how often a hand comes there; null where none does. */
function meanOf({ reached, frequency }, chosen) {
  let [there, taken] = [0, 0];
  for (const place of chosen) {
    const weight = found.share[place] * reached[place];
    there += weight;
    taken += weight * (frequency[place] ?? 0);
  }
  return there ? taken / there : null;
}

function number({ name }, frequency) {
  const kind = name.startsWith("fold") ? "fold" : name.startsWith("check-back") ? "call" : "raise";
  return make("td", { className: `part ${kind}`, "--share": frequency ?? 0 }, frequency === null ? "\u2013" : percent(frequency));
}
