// What a player won over the hands of the logs, as a curve.

import { draw, roundScale } from "../../static/chart.js";
import { counted } from "../../static/page.js";

const [WIDTH, HEIGHT] = [360, 136];
const BOX = { left: 44, right: 340, top: 6, bottom: 116 };

/** The curve's points in the picture, the first at no hands, and the marks of both axes with their places. */
export function layout({ after, won_bb: won }) {
  const scale = roundScale(Math.min(0, ...won), Math.max(1, ...won));
  const hands = after.at(-1);
  const along = (count) => BOX.left + (count / hands) * (BOX.right - BOX.left);
  const down = (value) => BOX.bottom - ((value - scale.low) / (scale.high - scale.low)) * (BOX.bottom - BOX.top);
  const counts = roundScale(0, Math.max(hands, 4)).marks.filter((count) => count <= hands);
  return {
    points: [[along(0), down(0)], ...after.map((count, k) => [along(count), down(won[k])])],
    rows: scale.marks.map((value) => [number(value), down(value), value === 0]),
    columns: counts.map((count) => [number(count), along(count)]),
  };
}

/** A plot of big blinds won over hands; of one hand or none there is nothing to plot. */
export function resultPlot(result) {
  if (result.hands < 2) return null;
  const { points, rows, columns } = layout(result);
  const path = points.map(([x, y]) => `${x.toFixed(1)} ${y.toFixed(1)}`).join("L");
  const said = `Big blinds won over ${counted(result.hands, "hand")}, at last ${number(result.won_bb.at(-1))}.`;
  return draw(
    "svg",
    { class: "curves won", viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": said },
    ...rows.flatMap(([text, y, isZero]) => [
      draw("line", { class: `rule ${isZero ? "zero" : ""}`, x1: BOX.left, x2: BOX.right, y1: y, y2: y }),
      draw("text", { class: "mark", x: BOX.left - 5, y: y + 3.5, "text-anchor": "end" }, text),
    ]),
    ...columns.map(([text, x]) => draw("text", { class: "mark", x, y: BOX.bottom + 15, "text-anchor": "middle" }, text)),
    draw("path", { class: "curve", d: `M${path}` }),
  );
}

function number(value) {
  return Number(value.toPrecision(6)).toLocaleString("en").replace("-", "\u2212");
}
