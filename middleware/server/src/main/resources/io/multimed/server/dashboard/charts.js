/** Charts of samples over time, as drawings in SVG. */
import {clock, h, s} from "./dom.js";

const HEIGHT = 170;
const LEFT = 52;
const BOTTOM = 18;
const TOP = 8;
const LONGEST = 600000;
const SHORTEST = 60000;

/** Returns a round number that is at least as large: 1, 2 or 5 times a power of ten. */
function roundUp(value) {
  if (value <= 0) {
    return 1;
  }
  const power = 10 ** Math.floor(Math.log10(value));
  return [1, 2, 5, 10].map((step) => step * power).find((step) => step >= value);
}

/**
 * A chart that stays in the page, and is drawn again with each sample.
 *
 * series: list of {name, kind, value(sample)}; kind is a class for the color.
 */
export class Chart {
  constructor(panel, title, series, format, stacked) {
    this.title = title;
    this.series = series;
    this.format = format;
    this.stacked = stacked;
    this.drawing = s("svg", {class: "chart", role: "img"});
    this.legend = h("ul", {class: "legend"});
    panel.replaceChildren(h("h2", {}, title), this.drawing, this.legend);
    this.at = null;
    this.drawing.addEventListener("pointermove", (event) => this.point(event));
    this.drawing.addEventListener("pointerleave", () => this.leave());
  }

  point(event) {
    const box = this.drawing.getBoundingClientRect();
    this.at = event.clientX - box.left;
    this.draw(this.samples);
  }

  leave() {
    this.at = null;
    this.draw(this.samples);
  }

  draw(samples) {
    this.samples = samples;
    if (!samples || samples.length === 0) {
      return;
    }
    const width = this.drawing.clientWidth || 460;
    this.width = width;
    const end = samples[samples.length - 1].millis;
    const begin = end - Math.min(LONGEST, Math.max(SHORTEST, end - samples[0].millis));
    const x = (sample) => LEFT + ((sample.millis - begin) / (end - begin)) * (width - LEFT - 4);
    const layers = this.layers(samples);
    const most = roundUp(Math.max(...layers.flat(), 0));
    const y = (value) => HEIGHT - BOTTOM - (value / most) * (HEIGHT - BOTTOM - TOP);
    const shown = samples.map((sample, i) => [x(sample), i]).filter(([place]) => place >= LEFT);
    const marks = this.series.map((one, n) => this.mark(one, layers, n, shown, y));
    const chosen = this.chosen(shown);
    this.drawing.replaceChildren(
      ...this.axes(most, y, begin, end),
      ...(this.stacked ? marks.reverse() : marks),
      ...(chosen === null ? [] : [this.cursor(shown.find(([, i]) => i === chosen)[0])]));
    this.explain(samples, chosen);
  }

  /** Returns, for each series, the heights; of stacked series, the sum of it and of those below it. */
  layers(samples) {
    const sums = samples.map(() => 0);
    return this.series.map((one) => samples.map((sample, i) => {
      const value = one.value(sample);
      sums[i] += value;
      return this.stacked ? sums[i] : value;
    }));
  }

  mark(one, layers, n, shown, y) {
    const line = shown.map(([place, i]) => `${place.toFixed(1)},${y(layers[n][i]).toFixed(1)}`);
    if (!this.stacked) {
      return s("polyline", {class: `line ${one.kind}`, points: line.join(" ")});
    }
    const floor = shown.map(([place, i]) => `${place.toFixed(1)},${y(n === 0 ? 0 : layers[n - 1][i]).toFixed(1)}`);
    return s("polygon", {class: `area ${one.kind}`, points: [...line, ...floor.reverse()].join(" ")});
  }

  axes(most, y, begin, end) {
    const lines = [0, 0.5, 1].map((part) => s("g", {},
      s("line", {class: "grid", x1: LEFT, x2: this.width, y1: y(most * part), y2: y(most * part)}),
      s("text", {x: LEFT - 5, y: y(most * part) + 4, "text-anchor": "end"}, this.format(most * part))));
    return [...lines,
      s("text", {x: LEFT, y: HEIGHT - 3}, clock(begin).slice(0, 5)),
      s("text", {x: this.width - 4, y: HEIGHT - 3, "text-anchor": "end"}, clock(end).slice(0, 5))];
  }

  chosen(shown) {
    if (this.at === null || shown.length === 0) {
      return null;
    }
    const distance = ([place]) => Math.abs(place - this.at);
    return shown.reduce((best, each) => (distance(each) < distance(best) ? each : best))[1];
  }

  cursor(place) {
    return s("line", {class: "cursor", x1: place, x2: place, y1: TOP, y2: HEIGHT - BOTTOM});
  }

  explain(samples, chosen) {
    const sample = samples[chosen ?? samples.length - 1];
    const values = this.series.map((one) => [one, this.format(one.value(sample))]);
    this.legend.replaceChildren(...values.map(([one, text]) =>
      h("li", {}, h("span", {class: `swatch ${one.kind}`}), `${one.name} `, h("b", {}, text))),
    ...(chosen === null ? [] : [h("li", {class: "note"}, `at ${clock(sample.millis)}`)]));
    this.drawing.setAttribute("aria-label",
      `${this.title}, now: ${values.map(([one, text]) => `${one.name} ${text}`).join(", ")}`);
  }
}

/** Returns a small line without axes, for the last minutes. */
export function sparkline(values) {
  const most = Math.max(...values, 1e-9);
  const step = 100 / Math.max(values.length - 1, 1);
  const points = values.map((value, i) => `${(i * step).toFixed(1)},${(26 - (value / most) * 23).toFixed(1)}`);
  return s("svg", {viewBox: "0 0 100 28", preserveAspectRatio: "none", "aria-hidden": "true"},
    s("polyline", {class: "spark", points: points.join(" "), "vector-effect": "non-scaling-stroke"}));
}
