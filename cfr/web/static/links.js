// Links to spots in Explore.

import { make } from "./page.js";

/** The address of a spot; a hand of it is selected there. */
export function link(line, board, hand, pairs = []) {
  const named = [...Object.entries({ line, board, hand }).filter(([, value]) => value), ...pairs];
  const query = named.map(([name, value]) => `${name}=${value}`).join("&");
  return `/explore${query ? `?${query}` : ""}`;
}

/** A link to a spot in Explore, which opens within the page. */
export function spotLink(address, properties, go, ...children) {
  return make(
    "a",
    {
      href: address,
      title: "Explore this spot",
      onclick: (event) => {
        if (event.metaKey || event.ctrlKey || event.shiftKey) return;
        event.preventDefault();
        go(address);
      },
      ...properties,
    },
    ...children,
  );
}
