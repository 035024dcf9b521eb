// How two plays of the same spot differ.

import { capital, percent } from "./page.js";

/** The action whose share of a class differs most from the strategy's, taken more often than by it. */
export function largest(exact, number) {
  const changes = exact.actions.map(({ name, word }) => {
    const [from, to] = [exact.strategy.mix[name][number], exact.mix[name][number]];
    return { name, word, from, to, by: to - from };
  });
  return changes.reduce((best, each) => (each.by > best.by ? each : best));
}

/** A class's difference in words, for the grid: `B+23`; none where one of the two does not get here with it. */
export function difference(exact, number) {
  if (!exact.weight[number] || exact.strategy.weight?.[number] === 0) return { size: 0, text: "", spoken: "" };
  const { word, from, to, by } = largest(exact, number);
  const points = Math.round(100 * by);
  return {
    size: by,
    text: points ? `${capital(word)[0]}+${points}` : "",
    spoken: `${word} ${percent(from)} in ${exact.names?.upper ?? "the strategy"}, ${percent(to)} in ${exact.names?.lower ?? "the solution"}`,
  };
}
