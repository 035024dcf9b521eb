// What an exact solve found: its figures, the hands that gain most, and the lock of the decision.

import { largest } from "../../static/difference.js";
import { make, percent } from "../../static/page.js";
import { lockBar } from "./lockBar.js";
import { written } from "../../static/values.js";

const MOST = 6; // hands that are listed
const LEAST = 0.5; // mbb of gain that are worth a line

/** The figures of a solve, a line each. */
export function figures(result, target) {
  const rows = [
    ["Strategy", result.blueprint_exploitability_percent_of_pot],
    ["Exact", result.exploitability_percent_of_pot],
  ];
  const missed = result.exploitability_percent_of_pot > target;
  return [
    make(
      "dl",
      {},
      rows.flatMap(([name, value]) => [
        make("dt", {}, `${name}: exploitable by`),
        make("dd", {}, `${Number(value.toPrecision(3))}% of the pot`),
      ]),
      make("dt", {}, "Solved in"),
      make("dd", {}, `${result.seconds.toFixed(1)} s, ${result.iterations} iterations`),
    ),
    missed ? make("p", { className: "faint" }, "The solve ended before its target.") : null,
  ].filter(Boolean);
}

/** The classes that win most by playing as solved here, each a button that selects it. */
export function gains(exact, select) {
  if (!exact.gain) return [];
  const classes = exact.gain.classes
    .map((gain, number) => ({ gain, number }))
    .filter(({ gain, number }) => gain > LEAST && exact.weight[number] > 0)
    .sort((a, b) => b.gain - a.gain)
    .slice(0, MOST);
  const mean = exact.gain.mean === null ? "" : `, ${written(exact.gain.mean, "bb")} bb over the range`;
  return [
    make("h3", {}, "Hands that gain most here", make("span", { className: "faint" }, mean)),
    classes.length
      ? make(
          "ul",
          { className: "gains" },
          classes.map(({ gain, number }) =>
            make("li", {}, make("button", { type: "button", onclick: () => select(number) }, gainLine(exact, number, gain))),
          ),
        )
      : make("p", { className: "faint" }, "No hand: the strategy plays this decision as well."),
  ];
}

function gainLine(exact, number, gain) {
  const change = largest(exact, number);
  return [
    make("b", {}, exact.classes[number]),
    make("span", {}, `${written(gain, "bb")} bb`),
    make("span", { className: "faint" }, `${change.word} ${percent(change.from)} \u2192 ${percent(change.to)}`),
  ];
}

/**
 * The lock of the decision on the page: a bar, the hands that are held, and a button that solves again.
 *
 * @param exact the solved spot
 * @param path the actions that lead to the decision from the spot that is solved
 * @param locks those there are
 * @param change called with those that are wanted
 * @param selected names the class that is selected on the grid
 */
export function lockEditor(exact, path, locks, change, selected) {
  let shares = null;
  const actions = exact.actions.map(({ name, word, share }) => ({ name, word, share }));
  const button = make("button", { type: "button", className: "button", disabled: true }, "Lock and solve again");
  const hands = make("input", {
    type: "text",
    className: "lock-hands",
    autocomplete: "off",
    spellcheck: false,
    maxLength: 200,
    placeholder: "the whole range",
    "aria-label": "Hands to lock, such as AA,KQs or AhKh; empty for the whole range",
  });
  const take = make(
    "button",
    { type: "button", className: "text-button", onclick: () => (hands.value = selected()) },
    "Selected hand",
  );
  const bar = lockBar(actions, (found) => {
    shares = found;
    button.disabled = false;
  });
  button.addEventListener("click", () => {
    const said = actions.map(({ name }, place) => `${name}=${shares[place] / 100}`);
    const held = hands.value.trim();
    const decision = held ? `${path}[${held}]:` : `${path}:`;
    const others = locks.filter((each) => !each.startsWith(decision));
    // Of two locks on a hand the later one counts: those of some hands come after that of the whole range.
    const lock = `${decision}${said.join(",")}`;
    change(held ? [...others, lock] : [lock, ...others]);
  });
  const held = locks.map((each) =>
    make(
      "li",
      {},
      make("code", {}, /^[:[]/.test(each) ? `here${each}` : each),
      make(
        "button",
        {
          type: "button",
          className: "text-button",
          "aria-label": `Remove the lock ${each}`,
          onclick: () => change(locks.filter((other) => other !== each)),
        },
        "Remove",
      ),
    ),
  );
  return [
    make("h3", {}, `Lock the ${exact.seat}\u2019s decision`),
    make("p", { className: "faint" }, "Drag the borders. The whole range, or the hands that are named, then plays so. The rest is solved anew."),
    bar,
    make("div", { className: "buttons" }, button, hands, take),
    held.length ? make("ul", { className: "locks", "aria-label": "Locks" }, held) : null,
  ].filter(Boolean);
}
