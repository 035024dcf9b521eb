// What is done at a table, one thing after the other: by buttons and keys, also ahead of the server's answers.

import { find, notice } from "./page.js";

/**
 * A queue of deeds of one view.
 *
 * @param view its id; it is busy while something is under way
 * @param prepare done before each deed
 * @param recover fetches what is so, where it went on elsewhere, in another tab
 * @param draw called after each deed
 * @returns `attempt`, which does one thing after the other (what fails takes along what was to come after it), and
 *     `busy`, whether something is under way
 */
export function inTurn(view, prepare, recover, draw) {
  let turn = Promise.resolve();
  let waiting = 0; // how many deeds are under way or wait for their turn
  let failures = 0;
  const attempt = (deed) => {
    const before = failures;
    waiting += 1;
    find(view).ariaBusy = "true";
    turn = turn.then(async () => {
      try {
        if (failures !== before) return;
        notice();
        await prepare();
        await deed();
      } catch (error) {
        failures += 1;
        notice(error.message);
        if (error.status === 409 || error.status === 401) await recover();
      } finally {
        waiting -= 1;
        draw();
        find(view).ariaBusy = String(waiting > 0);
      }
    });
    return turn;
  };
  return { attempt, busy: () => waiting > 0 };
}
