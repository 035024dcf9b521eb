// How equities or EVs are spread over ranges: their hands from the weakest to the strongest, as curves and in numbers.

import { draw, roundScale } from "../../static/chart.js";
import { SHORT, make, percent } from "../../static/page.js";
import { short } from "../../static/values.js";

const [WIDTH, HEIGHT] = [360, 136];
const BOX = { left: 30, right: 346, top: 6, bottom: 116 };
const PARTS = [0.1, 0.25, 0.5, 0.75, 0.9]; // of a range, from its weakest hand on
const MARKS = [0, 0.25, 0.5, 0.75, 1];
const EQUITY = { name: "Equity in percent", low: 0, high: 1, marks: MARKS, mark: (each) => `${100 * each}`, write: percent };

/**
 * The curves, and a table of how much parts of the ranges have.
 *
 * @param ranges by seat, hands with a `value`, `reach`, and whether they are `chosen`
 * @param isFiltered whether chosen hands are marked on their curve
 * @param ofEvs whether the values are EVs in mbb, and not equities
 */
export function drawCurves(ranges, isFiltered, ofEvs) {
  const steps = Object.fromEntries(Object.entries(ranges).map(([seat, hands]) => [seat, sorted(hands)]));
  const scale = ofEvs ? scaleOf(Object.values(steps).flat()) : EQUITY;
  return [picture(steps, isFiltered, scale), table(steps, scale)];
}

/** A scale of EVs: round numbers of big blinds around all of them. */
function scaleOf(hands) {
  const values = hands.map(({ value }) => value);
  const scale = roundScale(Math.min(0, ...values), Math.max(1, ...values));
  const mark = (each) => `${Number((each / 1000).toPrecision(4))}`.replace("-", "\u2212");
  return { name: "EV in big blinds", ...scale, mark, write: short };
}

/** Hands from the weakest on, each with where it begins and ends in its range, 0 to 1. */
function sorted(hands) {
  const there = hands.filter(({ value, reach }) => value !== null && reach > 0);
  there.sort((one, other) => one.value - other.value);
  const total = there.reduce((sum, { reach }) => sum + reach, 0);
  let end = 0;
  return there.map(({ value, reach, chosen }) => {
    const begin = end;
    end += reach / total;
    return { value, begin, end, chosen };
  });
}

/** What the hand at a part of the range has; null for a range without hands. */
function valueAt(steps, part) {
  return (steps.find(({ end }) => end >= part - 1e-9) ?? steps.at(-1))?.value ?? null;
}

function picture(steps, isFiltered, scale) {
  const down = (value) => BOX.bottom - ((value - scale.low) / (scale.high - scale.low)) * (BOX.bottom - BOX.top);
  const lines = scale.marks.flatMap((mark) => [
    draw("line", { class: "rule", x1: BOX.left, x2: BOX.right, y1: down(mark), y2: down(mark) }),
    draw("text", { class: "mark", x: BOX.left - 5, y: down(mark) + 3.5, "text-anchor": "end" }, scale.mark(mark)),
  ]);
  const places = MARKS.map((mark) =>
    draw("text", { class: "mark", x: along(mark), y: BOX.bottom + 15, "text-anchor": "middle" }, `${100 * mark}%`),
  );
  const curves = Object.entries(steps).flatMap(([seat, hands]) => [
    draw("path", { class: `curve ${SHORT[seat]} ${isFiltered ? "back" : ""}`, d: whole(hands, down) }),
    ...(isFiltered ? [draw("path", { class: `curve chosen ${SHORT[seat]}`, d: some(hands, down) })] : []),
  ]);
  const said = `${scale.name} of each hand, from the weakest to the strongest part of the range. The table has the numbers.`;
  return draw(
    "svg",
    { class: "curves", viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": said },
    ...lines,
    ...places,
    ...curves,
  );
}

function along(part) {
  return BOX.left + part * (BOX.right - BOX.left);
}

/** A path over all hands, a step each. */
function whole(hands, down) {
  const points = hands.flatMap(({ value, begin, end }) => [
    `${along(begin).toFixed(2)} ${down(value).toFixed(2)}`,
    `${along(end).toFixed(2)} ${down(value).toFixed(2)}`,
  ]);
  return points.length ? `M${points.join("L")}` : "";
}

/** A path over the chosen hands. */
function some(hands, down) {
  return hands
    .filter(({ chosen }) => chosen)
    .map(({ value, begin, end }) => {
      const from = along(begin);
      return `M${from.toFixed(2)} ${down(value).toFixed(2)}H${Math.max(along(end), from + 0.8).toFixed(2)}`;
    })
    .join("");
}

function table(steps, scale) {
  const rows = Object.entries(steps).map(([seat, hands]) =>
    make(
      "tr",
      {},
      make("th", { scope: "row" }, make("span", { className: `key ${SHORT[seat]}` }), SHORT[seat]),
      PARTS.map((part) => {
        const value = valueAt(hands, part);
        return make("td", {}, value === null ? "\u2013" : scale.write(value));
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
        make("th", { scope: "col" }, make("span", { className: "sr" }, `${scale.name} of the hand at this part of the range`)),
        PARTS.map((part) => make("th", { scope: "col" }, `at ${100 * part}%`)),
      ),
    ),
    make("tbody", {}, rows),
  );
}
