// The shell: which view is shown, the theme, and keys.

import * as explore from "../explore/static/explore.js";
import * as help from "./help.js";
import * as opponents from "../opponents/static/opponents.js";
import { find, game, notice } from "./page.js";
import * as play from "../table/static/play.js";
import * as review from "../review/static/review.js";
import * as solve from "../spots/static/solve.js";
import * as train from "../train/static/train.js";
import * as watch from "../watch/static/watch.js";

const VIEWS = { explore, play, train, watch, review, opponents };
const RESEARCH = [explore, review, opponents]; // views that count in mbb; players count in big blinds
let current = null;
let about = null; // what is played and by whom

async function show() {
  const asked = location.pathname.slice(1);
  const name = asked in VIEWS ? asked : "explore";
  for (const each of Object.keys(VIEWS)) {
    find(each).hidden = each !== name;
    const tab = document.querySelector(`[data-tab=${each}]`);
    if (each === name) tab.setAttribute("aria-current", "page");
    else tab.removeAttribute("aria-current");
  }
  current = VIEWS[name];
  drawAbout();
  notice();
  try {
    await current.show(new URLSearchParams(location.search));
  } catch (error) {
    notice(error.message);
  }
}

/** Who plays what, and what the best opponent wins, in the unit of the view. */
function drawAbout() {
  if (!about) return;
  const { strategy, game: name, exploitability_mbb: loses } = about;
  const [said, unit] = RESEARCH.includes(current)
    ? [`, ${loses?.toFixed(1)} mbb/g exploitable`, "thousandths of a big blind per hand"]
    : [`, loses at most ${(loses / 10).toFixed(1)} big blinds per 100 hands`, "big blinds per 100 hands"];
  find("about").textContent = `${strategy}, ${name}${loses === null ? "" : said}`;
  find("about").title = loses === null ? "" : `What a best response wins on average: ${unit}`;
}

export function go(address) {
  if (address !== location.pathname + location.search) history.pushState(null, "", address);
  return show();
}

function toggle(id, name, next) {
  find(id).addEventListener("click", () => {
    const chosen = next();
    document.documentElement.dataset[name] = chosen;
    try {
      localStorage.setItem(name, chosen);
    } catch {
      /* storage may be off */
    }
    label();
  });
}

function isDark() {
  const chosen = document.documentElement.dataset.theme;
  return chosen ? chosen === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
}

function label() {
  const safe = document.documentElement.dataset.palette === "safe";
  find("palette").setAttribute("aria-pressed", String(safe));
  find("theme").title = isDark() ? "Light theme" : "Dark theme";
}

toggle("theme", "theme", () => (isDark() ? "light" : "dark"));
toggle("palette", "palette", () => (document.documentElement.dataset.palette === "safe" ? "standard" : "safe"));
label();

document.addEventListener("click", (event) => {
  const link = event.target.closest("a[data-link]");
  if (!link || event.button || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
  event.preventDefault();
  // A tab brings back the spot that was looked at last.
  const remembered = link.dataset.tab === "explore" && explore.address();
  go(remembered || link.getAttribute("href"));
});

document.addEventListener("keydown", (event) => {
  // A dialog that has just been closed keeps the focus until the next paint: it is no reason to lose a key.
  const typing = document.querySelector("dialog[open]") || event.target.closest("input:not(dialog input), textarea, select");
  if (typing || event.metaKey || event.ctrlKey || event.altKey || !current) return;
  if (event.key === "?") {
    event.preventDefault(); // the search takes the focus
    help.open();
  }
  else if (current.key(event.key, event.repeat)) event.preventDefault();
});

window.addEventListener("popstate", show);
help.start();
explore.start(go, solve);
play.start(go);
train.start(go);
watch.start(go);
review.start(go);
opponents.start();
show();
game.then(
  (rules) => {
    about = rules;
    document.querySelector("[data-tab=watch]").hidden = !rules.watches;
    document.querySelector("[data-tab=review]").hidden = !rules.reviews;
    drawAbout();
  },
  () => {},
);
