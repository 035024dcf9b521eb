// How the equities of two ranges are spread: their hands from the weakest to the strongest, as curves and in numbers.

import { SHORT, make, percent } from "../../static/page.js";

const [WIDTH, HEIGHT] = [360, 136];
const BOX = { left: 30, right: 346, top: 6, bottom: 116 };
const PARTS = [0.1, 0.25, 0.5, 0.75, 0.9]; // of a range, from its weakest hand on
const MARKS = [0, 0.25, 0.5, 0.75, 1];

/**
 * The curves, and a table of how much equity parts of the ranges have.
 *
 * @param ranges by seat, hands with `equity`, `reach`, and whether they are `chosen`
 * @param isFiltered whether chosen hands are marked on their curve
 */
export function drawCurves(ranges, isFiltered) {
  const steps = Object.fromEntries(Object.entries(ranges).map(([seat, hands]) => [seat, sorted(hands)]));
  return [picture(steps, isFiltered), table(steps)];
}

/** Hands from the weakest on, each with where it begins and ends in its range, 0 to 1. */
function sorted(hands) {
  const there = hands.filter(({ equity, reach }) => equity !== null && reach > 0);
  there.sort((one, other) => one.equity - other.equity);
  const total = there.reduce((sum, { reach }) => sum + reach, 0);
  let end = 0;
  return there.map(({ equity, reach, chosen }) => {
    const begin = end;
    end += reach / total;
    return { equity, begin, end, chosen };
  });
}

/** What the hand at a part of the range has; null for a range without hands. */
function equityAt(steps, part) {
  return (steps.find(({ end }) => end >= part - 1e-9) ?? steps.at(-1))?.equity ?? null;
}

function picture(steps, isFiltered) {
  const lines = MARKS.flatMap((mark) => [
    draw("line", { class: "rule", x1: BOX.left, x2: BOX.right, y1: down(mark), y2: down(mark) }),
    draw("text", { class: "mark", x: BOX.left - 5, y: down(mark) + 3.5, "text-anchor": "end" }, `${100 * mark}`),
    draw("text", { class: "mark", x: along(mark), y: BOX.bottom + 15, "text-anchor": "middle" }, `${100 * mark}%`),
  ]);
  const curves = Object.entries(steps).flatMap(([seat, hands]) => [
    draw("path", { class: `curve ${SHORT[seat]} ${isFiltered ? "back" : ""}`, d: whole(hands) }),
    ...(isFiltered ? [draw("path", { class: `curve chosen ${SHORT[seat]}`, d: some(hands) })] : []),
  ]);
  const said = `Equity in percent of each hand, from the weakest to the strongest part of the range. The table has the numbers.`;
  return draw(
    "svg",
    { class: "curves", viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": said },
    ...lines,
    ...curves,
  );
}

function along(part) {
  return BOX.left + part * (BOX.right - BOX.left);
}

function down(equity) {
  return BOX.bottom - equity * (BOX.bottom - BOX.top);
}

/** A path over all hands, a step each. */
function whole(hands) {
  const points = hands.flatMap(({ equity, begin, end }) => [
    `${along(begin).toFixed(2)} ${down(equity).toFixed(2)}`,
    `${along(end).toFixed(2)} ${down(equity).toFixed(2)}`,
  ]);
  return points.length ? `M${points.join("L")}` : "";
}

/** A path over the chosen hands. */
function some(hands) {
  return hands
    .filter(({ chosen }) => chosen)
    .map(({ equity, begin, end }) => {
      const from = along(begin);
      return `M${from.toFixed(2)} ${down(equity).toFixed(2)}H${Math.max(along(end), from + 0.8).toFixed(2)}`;
    })
    .join("");
}

function table(steps) {
  const rows = Object.entries(steps).map(([seat, hands]) =>
    make(
      "tr",
      {},
      make("th", { scope: "row" }, make("span", { className: `key ${SHORT[seat]}` }), SHORT[seat]),
      PARTS.map((part) => {
        const equity = equityAt(hands, part);
        return make("td", {}, equity === null ? "\u2013" : percent(equity));
      }),
    ),
  );
  return make(
    "table",
    { className: "counts parts" },
    make(
      "thead",
      {},
      make(
        "tr",
        {},
        make("th", { scope: "col" }, make("span", { className: "sr" }, "Equity of the hand at this part of the range")),
        PARTS.map((part) => make("th", { scope: "col" }, `at ${100 * part}%`)),
      ),
    ),
    make("tbody", {}, rows),
  );
}

function draw(tag, attributes, ...children) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}
