// A spot as a file, the table of its hands or the grid as a picture; and its range as text.

import { find, game, make, notice } from "../../static/page.js";
import { copyButtons } from "../../static/rangeText.js";

const AGAIN = 500; // ms until the server is asked again for values that it works out

/** `asked` gives the query of the spot on the page, and what its grid shows; `range` that of the seat to act. */
export function start(asked, range) {
  const button = (kind) =>
    make("button", { type: "button", className: "text-button", onclick: () => save(kind, asked()) }, kind.toUpperCase());
  game.then(
    ({ files }) =>
      find("downloads").append(
        make("span", {}, "Save as ", ...files.map(button)),
        make("span", {}, "Copy the range: ", ...copyButtons(range, "seat to act")),
      ),
    () => {},
  );
}

async function save(kind, { query, view }) {
  const theme = document.documentElement.dataset.palette === "safe" ? "colour-blind" : "standard";
  find("downloads").ariaBusy = "true";
  try {
    let response;
    do {
      if (response) await new Promise((resume) => setTimeout(resume, AGAIN));
      response = await fetch(`/api/spot.${kind}?${query}&theme=${theme}&view=${view}`);
    } while (response.status === 202);
    if (!response.ok) throw new Error((await response.json()).error);
    const address = URL.createObjectURL(await response.blob());
    const name = /filename="([^"]*)"/.exec(response.headers.get("content-disposition"))[1];
    make("a", { href: address, download: name }).click();
    URL.revokeObjectURL(address);
  } catch (error) {
    notice(error.message);
  }
  find("downloads").ariaBusy = "false";
}
