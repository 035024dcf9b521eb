// What charts share: elements of SVG, and scales of round numbers.

const STEPS = [1, 2, 5, 10]; // between marks, times a power of ten
const PARTS = 4; // about so many marks above the lowest

/** An element of SVG with its attributes and children. */
export function draw(tag, attributes, ...children) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

/** Round numbers around all from `least` to `most`, which differ: the `marks`, the `low` one and the `high` one. */
export function roundScale(least, most) {
  const power = 10 ** Math.floor(Math.log10((most - least) / PARTS));
  const step = power * STEPS.find((each) => PARTS * each * power >= (most - least) * 0.999);
  const [first, last] = [Math.floor(least / step), Math.ceil(most / step)];
  const marks = Array.from({ length: last - first + 1 }, (_, number) => step * (first + number));
  return { low: step * first, high: step * last, marks };
}
