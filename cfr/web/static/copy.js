// Text that a button copies.

import { make } from "./page.js";

const SAID = 2000; // ms that a button says that it has copied

/** A button that copies what `write` gives when it is pressed. */
export function copyButton(name, write, title) {
  const button = make("button", { type: "button", className: "text-button", "aria-live": "polite", title }, name);
  button.addEventListener("click", async () => {
    button.textContent = (await copied(write())) ? "Copied" : "Not copied";
    setTimeout(() => (button.textContent = name), SAID);
  });
  return button;
}

/** Whether the browser took the text; without TLS it has the old way only. */
async function copied(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const area = make("textarea", { className: "sr", value: text });
    document.body.append(area);
    area.select();
    const isDone = document.execCommand("copy");
    area.remove();
    return isDone;
  }
}
