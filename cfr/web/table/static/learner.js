// The player that learns, beside the table: who sits down against it, what it has learnt, and what it plays now.

import { counted, find, make, percent } from "../../static/page.js";

const LEARNS = "learn:"; // what the name of such an opponent begins with
const LEARNING = "the player that learns";

/** What the page calls an opponent in a sentence. */
export function botName(bot) {
  return bot.startsWith(LEARNS) ? LEARNING : bot;
}

/** The same, as short as a seat's plate. */
export function seatName(bot) {
  return bot.startsWith(LEARNS) ? "learner" : bot;
}

/** The name under which an opponent knows the visitor: empty without one, null for an opponent that does not learn. */
export function knownAs(bot) {
  return bot.startsWith(LEARNS) ? bot.slice(LEARNS.length) : null;
}

/** The address of the table against the player that learns. */
export function learnerAddress(name) {
  return `/play?${new URLSearchParams({ against: LEARNS + name.trim() })}`;
}

/** What the player that learns is, with the names of its responses. */
export function learnerSaid(names) {
  const listed = new Intl.ListFormat("en").format(names);
  return (
    `It plays a mix of ${listed}, and changes their shares after each of your hands, by what both of you saw. ` +
    "Under a name its counts are kept for your next visit, and no cards; whoever types the name shares them."
  );
}

/** From what it has learnt, in a sentence or two; `learner` is that of a table, see docs/web.md. */
export function learntSaid({ name, hands, unwritten }) {
  const whose = name ? `of ${name}, and keeps what it learnt` : "of yours, and keeps nothing beyond this session";
  const waiting = unwritten ? ` Not yet written to its file: ${unwritten.toLocaleString("en")}.` : "";
  return `It has learnt from ${counted(hands, "hand")} ${whose}.${waiting}`;
}

/** Listen to the panel: `go` visits an address, `forget` is called once the visitor is sure. */
export function startLearner(go, forget) {
  find("learner-form").addEventListener("submit", (event) => {
    event.preventDefault();
    find("learner-name").blur(); // keys are for the table again
    go(learnerAddress(find("learner-name").value));
  });
  find("learner-forget").addEventListener("click", () => find("unlearn").showModal());
  find("unlearn-no").addEventListener("click", () => find("unlearn").close());
  find("unlearn-yes").addEventListener("click", () => {
    find("unlearn").close();
    forget();
  });
}

/** Draw the panel: the `rules` of the page, and the `learner` of the table, null against another opponent. */
export function drawLearner(rules, learner) {
  find("learner").hidden = !rules.learner;
  if (!rules.learner) return;
  find("learner-what").textContent = learnerSaid(rules.learner);
  find("learner-learnt").hidden = find("learner-leave").hidden = !learner;
  find("learner-forget").hidden = !learner?.hands;
  find("learner-play").textContent = learner ? "Take this name" : "Play against it";
  find("learner-leave").textContent = `Play against ${rules.strategy} again`;
  if (!learner) return;
  find("learner-learnt").replaceChildren(
    make("p", {}, learntSaid(learner)),
    make(
      "dl",
      { "aria-label": "What it plays now" },
      learner.mix.flatMap(({ response, share }) => [make("dt", {}, response), make("dd", {}, percent(share))]),
    ),
  );
  find("unlearn-what").textContent = learner.name
    ? `This deletes what was learnt of ${learner.name}, for everybody who plays under this name. Your hands stay.`
    : "This deletes what was learnt from you in this session. Your hands stay.";
}
