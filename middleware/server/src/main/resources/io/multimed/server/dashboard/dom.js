/** Small helpers. Texts are set as text only, never as markup: names and statements come from users. */

export const byId = (id) => document.getElementById(id);

/** Creates an element; a child is an element, a text, or null for none. */
export function h(tag, attributes = {}, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

/** Creates an element of a drawing. */
export function s(tag, attributes = {}, ...children) {
  return fill(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);
}

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== null && value !== undefined && value !== false) {
      element.setAttribute(name, value === true ? "" : value);
    }
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return element;
}

/** Changes a text only if it differs, so that screen readers do not read it again. */
export function setText(element, text) {
  if (element.textContent !== text) {
    element.textContent = text;
  }
}

const whole = new Intl.NumberFormat("en", {maximumFractionDigits: 0});
const short = new Intl.NumberFormat("en", {maximumSignificantDigits: 3});
const compact = new Intl.NumberFormat("en", {notation: "compact", maximumSignificantDigits: 3});

export const count = (value) => whole.format(value);
export const large = (value) => (value < 100000 ? whole.format(value) : compact.format(value));
export const rate = (value) => (value >= 1000 ? large(value) : short.format(value));
export const percent = (part, all) => (all === 0 ? "–" : `${short.format((100 * part) / all)} %`);

/** Returns a time in milliseconds with a unit that fits. */
export function duration(millis) {
  if (millis === 0) {
    return "0 ms";
  }
  if (millis < 1) {
    return `${short.format(millis * 1000)} µs`;
  }
  if (millis < 1000) {
    return `${short.format(millis)} ms`;
  }
  const seconds = millis / 1000;
  if (seconds < 100) {
    return `${short.format(seconds)} s`;
  }
  return seconds < 7200 ? `${whole.format(seconds / 60)} min` : `${whole.format(seconds / 3600)} h`;
}

export function bytes(value) {
  for (const [unit, size] of [["GB", 1 << 30], ["MB", 1 << 20], ["kB", 1 << 10]]) {
    if (value >= size) {
      return `${short.format(value / size)} ${unit}`;
    }
  }
  return `${value} B`;
}

export const clock = (millis) => new Date(millis).toLocaleTimeString("en-GB");

/** Creates a table that scrolls by itself where it is too wide; columns are [title, class]. */
export function table(label, columns, rows) {
  return h("div", {class: "scroll", role: "region", "aria-label": label, tabindex: "0"},
    h("table", {},
      h("thead", {}, h("tr", {}, columns.map(([title, kind]) => h("th", {scope: "col", class: kind}, title)))),
      h("tbody", {}, rows.map((cells) =>
        h("tr", {}, cells.map((cell, i) => h("td", {class: columns[i][1]}, cell)))))));
}

/** Replaces the content of a panel, but keeps where the user has scrolled to. */
export function replace(panel, ...children) {
  const before = panel.querySelector(".scroll, .events");
  const [top, left] = before ? [before.scrollTop, before.scrollLeft] : [0, 0];
  const focused = before !== null && before === document.activeElement;
  panel.replaceChildren(...children.filter((child) => child !== null));
  const after = panel.querySelector(".scroll, .events");
  if (after) {
    after.scrollTop = top;
    after.scrollLeft = left;
    if (focused) {
      after.focus({preventScroll: true});
    }
  }
}
