// Before the first paint, so that nothing flashes: the theme and palette that were chosen here earlier.
"use strict";
for (const name of ["theme", "palette"]) {
  let kept = null;
  try {
    kept = localStorage.getItem(name);
  } catch {
    /* storage may be off */
  }
  if (kept) document.documentElement.dataset[name] = kept;
}
