// The betting line on top of Explore: a box for each decision with its options, and the board cards between them.

import { ROUNDS, SHORT, boardIn, capital, cards, face, find, make, percent, said, tone } from "../../static/page.js";

/**
 * Draw a spot's line, which leads from the first decision to the one now.
 *
 * @param spot what the server answered
 * @param rules what is played
 * @param visit goes to a line with so many board cards
 * @param change picks other cards for the board's places from `start` on
 * @param restart goes back to the first decision
 */
export function drawLine(spot, rules, { visit, change, restart }) {
  const parts = [];
  let round = -1;
  const enter = (next) => {
    while (round < next) {
      round += 1;
      parts.push(roundBox(round, boardOf(spot, rules, round), change, restart));
    }
  };
  for (const step of spot.steps) {
    enter(step.round);
    parts.push(stepBox(step.seat, step.options, step.letter, visit));
  }
  enter(spot.round);
  const now = stepBox(spot.seat, spot.actions, null, visit);
  now.classList.add("now");
  now.setAttribute("aria-current", "step");
  parts.push(now);
  const line = find("line");
  const focused = line.contains(document.activeElement);
  line.replaceChildren(...parts);
  if (focused) (now.querySelector("button:enabled") ?? line.querySelector("button")).focus();
  line.scrollLeft = line.scrollWidth;
}

/** Where a round's cards begin on the board, and which they are. */
function boardOf(spot, rules, round) {
  const from = round ? cards(boardIn(rules, spot.board, round - 1)).length : 0;
  return { from, shown: cards(boardIn(rules, spot.board, round)).slice(from) };
}

function roundBox(round, { from, shown }, change, restart) {
  const title = make("span", { className: "step-seat" }, ROUNDS[round]);
  if (!shown.length) {
    return make(
      "button",
      { type: "button", className: "step round", title: "Back to the start", onclick: restart },
      title,
      make("span", { className: "first" }, "start"),
    );
  }
  return make(
    "button",
    {
      type: "button",
      className: "step round",
      title: "Change",
      onclick: () => change(from, shown.length),
    },
    title,
    make(
      "span",
      { className: "cards" },
      shown.map((card) => face(card, "tiny")),
    ),
  );
}

function stepBox(seat, options, taken, visit) {
  const rows = options.map((option) => {
    const share = option.share === undefined ? null : make("span", { className: "share" }, percent(option.share));
    const properties = {
      type: "button",
      className: `option ${tone(option.letter)}`,
      disabled: !option.line,
      title: option.line ? "" : "ends the hand",
      onclick: () => visit(option.line, option.board_cards),
    };
    if (taken === option.letter) properties["aria-pressed"] = "true";
    return make("button", properties, make("span", {}, said(option)), share);
  });
  return make(
    "div",
    { className: "step", role: "group", "aria-label": capital(seat) },
    make("span", { className: "step-seat", title: capital(seat) }, SHORT[seat]),
    rows,
  );
}
