// Expected values: asked for when a spot's frequencies are on the page, and how they are written.

import { askUntilThere, signed } from "./page.js";

const REST = 400; // ms on a flop spot before its values, seconds of work, are asked for
const AHEAD = 2; // spots whose values are fetched before somebody goes there

let asking = null; // what the latest question is called off with

/** Call off what is being fetched. */
export function callOff() {
  asking?.abort();
}

/**
 * Fetch a spot's `values`, unless they are there or there are none; what was asked for before is called off.
 *
 * @param spot what the server answered; afterwards with `values`, or with the `problem` that there was
 * @param query of its address
 * @param arrived called when they are there
 * @param hears called with the share of the work that is done
 */
export async function fetchValues(spot, query, arrived, hears) {
  callOff();
  if (!spot.has_values) return;
  asking = new AbortController();
  const { signal } = asking;
  await fetchUntilThere(spot, query, signal, hears);
  if (!signal.aborted) arrived();
}

/**
 * Fetch spots and their values before somebody goes there, one after the other, until somebody goes anywhere.
 *
 * @param queries of their addresses, the likeliest first
 * @param fetchSpot gives the spot of a query, which it remembers
 */
export async function fetchAhead(queries, fetchSpot) {
  const { signal } = asking;
  for (const query of queries.slice(0, AHEAD)) {
    if (signal.aborted) return;
    const spot = await fetchSpot(query).catch(() => null);
    if (spot?.has_values) await fetchUntilThere(spot, query, signal);
  }
}

async function fetchUntilThere(spot, query, signal, hears) {
  if (spot.values) return;
  spot.problem = null;
  await new Promise((resume) => setTimeout(resume, spot.round === 1 ? REST : 0));
  if (signal.aborted) return;
  try {
    spot.values = await askUntilThere(`/api/values?${query}`, signal, hears);
  } catch (error) {
    if (!signal.aborted) spot.problem = error.message;
  }
}

/** An EV, given in mbb, in a unit, `bb` or `mbb`; a dash where there is none. */
export function written(ev, unit) {
  if (ev === null) return "\u2013";
  return unit === "mbb" ? signed(ev, Math.abs(ev) < 1000 ? 1 : 0) : signed(ev / 1000, 3);
}

/** Big blinds in three characters and a sign, for a cell of the grid. */
export function short(ev) {
  return signed(ev / 1000, Math.abs(ev) < 9995 ? 2 : 1);
}

/** How strongly a cell is coloured, 0 to 1: by the root, so that small differences are seen beside large ones. */
export function heat(ev, most) {
  return most > 0 ? Math.sqrt(Math.min(1, Math.abs(ev) / most)) : 0;
}
