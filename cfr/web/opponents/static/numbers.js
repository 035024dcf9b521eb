// Numbers about players in words.

import { counted, signed } from "../../static/page.js";

const PERCENT = 100;
const PER_100 = 10; // mbb/g in a big blind per 100 hands
const NORMAL = 1.96; // half widths of a 95 % interval in standard errors

/** `+12.3 big blinds per 100 hands`. */
export function per100(mbb) {
  return `${signed(mbb / PER_100, 1)} big blinds per 100 hands`;
}

/** `61 % ± 6`, or without an interval. */
export function frequency(share, interval = null) {
  const text = `${(PERCENT * share).toFixed(0)} %`;
  return interval === null ? text : `${text} \u00b1 ${(PERCENT * interval).toFixed(0)}`;
}

/** The name of a strategy of the family, by its confidence; 0 stands for the blueprint. */
export function pointName(confidence) {
  return confidence ? `confidence ${confidence}` : "the blueprint";
}

/** `+150.0 to +260.0`, between which a strategy wins from eight of ten draws of the model; null where nobody measured it. */
export function drawsSaid({ win_10_mbb: low, win_90_mbb: high }) {
  return low === null || high === null ? null : `${signed(low, 1)} to ${signed(high, 1)}`;
}

/** Which strategies a mix plays, and how often. */
export function mixSaid({ safer_confidence: safer, greedier_confidence: greedier, share }) {
  if (share === 0 || share === 1) return `Always ${pointName(share ? greedier : safer)}.`;
  const often = (PERCENT * share).toFixed(0);
  return `A coin before each hand: ${pointName(greedier)} in ${often} % of the hands, ${pointName(safer)} in the others.`;
}

/** A player's result in a sentence; null in a file of an earlier version. */
export function resultSaid(result) {
  if (!result) return "The file is of an earlier version of cfr model; make it again to see the result.";
  const { hands, bb_per_100: rate, interval_95: interval } = result;
  if (!hands) return "The result is not known: the log hides what the hands won.";
  const sure = interval === null ? "too few hands for a 95 % interval" : `\u00b1 ${interval.toFixed(1)} (95 % interval)`;
  return `${per100(PER_100 * rate)}, ${sure}, in ${counted(hands, "hand")} whose result is known.`;
}

/** How sure it is that the player strays from the blueprint, in a sentence. */
export function standing({ hands, blueprint, is_prior: isPrior, gain_nats: gain, gain_error_nats: error }) {
  const count = `${counted(hands, "hand")} with a decision`;
  if (gain === null) return `${count}: too few to learn from. The model is ${blueprint} itself.`;
  const nats = `${signed(gain, 1)} \u00b1 ${(NORMAL * error).toFixed(1)} nats (95 % interval)`;
  const likelier = `hands held out are likelier by the model than by ${blueprint}: ${nats}.`;
  return `${count}; ${likelier}${isPrior ? ` No leak found: the model is ${blueprint} itself.` : ""}`;
}
