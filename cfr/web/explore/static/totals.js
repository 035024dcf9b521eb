// What the whole range does at a spot, an action each, and what it wins.

import { worth } from "./detail.js";
import { lowerName, upperName } from "./spotGrid.js";
import { SHORT, capital, find, make, percent, said, tone } from "../../static/page.js";

/** Draw the numbers of the range at a `spot`; `visit` goes on with an action. */
export function drawTotals(spot, visit) {
  const bars = [mixBar(spot, (action) => action.share, spot.strategy ? "below" : "")];
  if (spot.strategy) bars.unshift(mixBar(spot, (action) => spot.strategy.shares[action.name], "above"));
  const rows = spot.actions.map((action) => {
    const ends = action.line === null;
    return make(
      "button",
      {
        type: "button",
        className: `total ${tone(action.letter)}`,
        disabled: ends,
        title: ends ? "ends the hand" : "Go on with this",
        onclick: () => visit(action.line, action.board_cards),
      },
      make("span", { className: "swatch" }),
      make("span", { className: "what" }, capital(said(action))),
      make("span", { className: "number" }, percent(action.share)),
      spot.strategy
        ? make("span", { className: "versus" }, `${upperName(spot)} ${percent(spot.strategy.shares[action.name])}`)
        : make("span", { className: "combos" }, spot.combos ? `${(action.share * spot.combos).toFixed(1)} combos` : ""),
    );
  });
  const totals = find("totals");
  const focused = totals.contains(document.activeElement);
  totals.replaceChildren(
    make("h2", {}, `${SHORT[spot.seat]}, whole range${spot.strategy ? `: ${upperName(spot)} above, ${lowerName(spot)} below` : ""}`),
    ...bars,
    ...rows,
    make(
      "p",
      { className: "faint" },
      spot.combos > 0 ? `${spot.combos.toFixed(1)} combos get here` : "No hand gets here: this is what all would do.",
    ),
    ...(spot.values ? [worth(spot.values), make("p", { className: "faint counted" }, counted(spot))] : []),
  );
  if (focused) totals.querySelector("button:enabled")?.focus();
}

function mixBar(spot, share, extra = "") {
  return make(
    "div",
    { className: `mix big ${extra}`, "aria-hidden": "true" },
    spot.actions.map((action) => make("span", { className: tone(action.letter), "--share": share(action) })),
  );
}

function counted(spot) {
  const stake = spot.values.stake / 1000;
  const blinds = stake === 1 ? "big blind" : "big blinds";
  return `EVs are of the whole hand: the ${stake} ${blinds} that this seat has in the pot count as spent.`;
}
