// A range as text that other programs read, copied with one click: named hands, or PioSolver's 1,326 weights.

import { copyButton } from "./copy.js";

const DIGITS = 6; // of a weight
const NOTHING = "random:0";

/** Named hands with their weights: a class such as `AKs` where its live hands have one weight, else each hand. */
export function namedHands({ hands, weights, classOf, board }) {
  const classes = new Map();
  hands.forEach((hand, place) => {
    const isDead = [0, 2].some((card) => board.match(/../g)?.includes(hand.slice(card, card + 2)));
    if (isDead) return;
    const name = classOf(hand);
    classes.set(name, [...(classes.get(name) ?? []), [hand, written(weights[place])]]);
  });
  const parts = [...classes]
    .reverse()
    .flatMap(([name, members]) => (new Set(members.map(([, weight]) => weight)).size === 1 ? [[name, members[0][1]]] : members))
    .filter(([, weight]) => weight !== "0")
    .map(([name, weight]) => (weight === "1" ? name : `${name}:${weight}`));
  return parts.join(",") || NOTHING;
}

/** The weights of all hands, deuces first, as PioSolver writes them. */
export function allWeights({ weights }) {
  return weights.map(written).join(" ");
}

/** Two buttons that copy a seat's range; `range` gives it when one of them is pressed, `whose` says which seat it is. */
export function copyButtons(range, whose) {
  return Object.entries({ hands: namedHands, "1,326 weights": allWeights }).map(([name, write]) =>
    copyButton(name, () => write(range()), `Copy the range of the ${whose} as text`),
  );
}

function written(weight) {
  return String(Number(weight.toFixed(DIGITS)));
}
