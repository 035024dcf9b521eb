// What of a spot is shown: the strategy of the seat to act, both ranges, or all flops. The address says which.

import { find, make } from "../../static/page.js";

const PANELS = { "": "Strategy", ranges: "Ranges", flops: "Flops" };
const PLACES = { "": ["grid-box", "side"], ranges: ["both"], flops: ["flops"] };

let shown = "";
let offered = [];

/** Take what an address says, and show that; `link` gives the address of the spot with another panel. */
export function read(parameters, rules, link) {
  offered = Object.keys(PANELS).filter((name) => name !== "flops" || rules.flop_lines.length);
  const asked = parameters.get("show") ?? "";
  shown = offered.includes(asked) ? asked : "";
  for (const [name, ids] of Object.entries(PLACES)) for (const id of ids) find(id).hidden = name !== shown;
  find("explore-body").classList.toggle("deep", shown !== "");
  const links = offered.map((name) =>
    make("a", { href: link(pairsOf(name)), "data-link": true, "aria-current": name === shown && "true" }, PANELS[name]),
  );
  const focused = find("panels").contains(document.activeElement);
  find("panels").replaceChildren(...links);
  if (focused) find("panels").querySelector("[aria-current]").focus();
}

/** The panel that is shown: empty for the strategy. */
export function name() {
  return shown;
}

/** The panel of a key, `1` for the first; undefined if there is none. */
export function ofKey(key) {
  return offered[Number(key) - 1];
}

/** What an address says of a panel. */
export function pairsOf(panel) {
  return panel ? [["show", panel]] : [];
}
