/** Health, key figures, and the panels below the charts. */
import {byId, bytes, clock, count, duration, h, large, percent, rate, replace, table} from "./dom.js";
import {sparkline} from "./charts.js";

const SEVERITY = {ERROR: "error", WARNING: "warning", INFO: "info"};
const MARK = {ERROR: "✕", WARNING: "!", INFO: "i"};

export const reads = (sample) => sample.satelliteReads + sample.cacheReads + sample.masterReads;
const sum = (samples, value) => samples.reduce((total, sample) => total + value(sample), 0);

/** Returns the samples of the last seconds: one alone is too restless to be read. */
const recent = (samples) => samples.slice(-5);

const perSecond = (samples, value) => {
  const seconds = sum(samples, (sample) => sample.seconds);
  return seconds === 0 ? 0 : sum(samples, value) / seconds;
};

/** The one sentence that an operator must see first. It changes the page only when it changes itself. */
export function health(state) {
  const key = JSON.stringify(state.problems);
  const place = byId("health");
  if (place.dataset.shown === key) {
    return;
  }
  place.dataset.shown = key;
  const worst = state.problems[0]?.severity;
  place.className = `health ${SEVERITY[worst] ?? "good"}`;
  const satellites = state.nodes.filter((node) => node.role === "satellite");
  if (!worst) {
    place.replaceChildren(h("h2", {}, satellites.length === 0
      ? "✓ Healthy: the master is online; there is no satellite"
      : `✓ Healthy: the master and all ${satellites.length} satellites are online`));
    return;
  }
  place.replaceChildren(
    h("h2", {}, {ERROR: "✕ Clients receive errors", WARNING: "! Needs attention", INFO: "✓ Healthy; work is under way"}[worst]),
    h("ul", {}, state.problems.map((problem) => h("li", {},
      `${MARK[problem.severity]} ${problem.text}. `, h("span", {class: "remedy"}, problem.remedy)))));
}

/** Operations of the last minutes, as long as they matter. */
export function jobs(state) {
  const shown = state.jobs.filter((job) => job.state === "running" || state.now - job.ended < 30000).slice(0, 4);
  const key = JSON.stringify(shown);
  const place = byId("jobs");
  if (place.dataset.shown !== key) {
    place.dataset.shown = key;
    place.replaceChildren(...shown.map((job) => h("p", {class: `job ${job.state}`},
      `${job.action} ${job.satellite || "all satellites"}: ${job.state === "running" ? "running …" : job.message}`)));
  }
}

function tile(label, value, unit, detail, values, kind = "") {
  return h("div", {class: `panel tile ${kind}`},
    h("span", {class: "label"}, label),
    h("span", {class: "value"}, value, unit ? h("span", {class: "unit"}, unit) : null),
    h("span", {class: "detail"}, detail),
    values ? sparkline(values) : null);
}

export function tiles(state, samples) {
  const last = recent(samples);
  const statements = (sample) => reads(sample) + sample.updates;
  const busy = last.filter((sample) => sample.all.count > 0);
  const newest = busy[busy.length - 1]?.all ?? {median: 0, p99: 0};
  const all = sum(last, reads);
  const away = sum(last, (sample) => sample.satelliteReads + sample.cacheReads);
  const commits = sum(last, (sample) => sample.commits);
  const groups = sum(last, (sample) => sample.groups);
  const errors = perSecond(last, (sample) => sample.errors);
  const satellites = state.nodes.filter((node) => node.role === "satellite");
  const lag = Math.max(0, ...satellites.map((node) => node.lagMillis));
  byId("tiles").replaceChildren(
    tile("Statements", rate(perSecond(last, statements)), "/s", `${rate(perSecond(last, (sample) => sample.updates))} /s updates`,
      samples.map((sample) => statements(sample) / sample.seconds)),
    tile("Latency, 99th percentile", duration(newest.p99), "", `median ${duration(newest.median)}`,
      samples.map((sample) => sample.all.p99)),
    tile("Reads kept off the master", percent(away, all), "", all === 0 ? "no reads now" : `of ${rate(all / sum(last, (sample) => sample.seconds))} reads /s`,
      samples.map((sample) => (reads(sample) === 0 ? 0 : 1 - sample.masterReads / reads(sample)))),
    tile("Largest lag", satellites.length === 0 ? "–" : duration(lag), "", `${count(state.freshnessWaiting)} reads wait for freshness`,
      samples.map((sample) => Math.max(0, ...Object.values(sample.lagMillis))), lag > 5000 ? "warning" : ""),
    tile("Commits", rate(perSecond(last, (sample) => sample.commits)), "/s", groups === 0 ? "no commits now" : `${rate(commits / groups)} per group`,
      samples.map((sample) => sample.commits / sample.seconds)),
    tile("Clients", count(state.clients.count), `of ${large(state.clients.most)}`, `${count(state.clients.pinned)} keep a connection`,
      samples.map((sample) => sample.clients), state.clients.count > 0.9 * state.clients.most ? "warning" : ""),
    tile("Errors", rate(errors), "/s", topError(state), samples.map((sample) => sample.errors / sample.seconds), errors > 0 ? "warning" : ""));
}

function topError(state) {
  const all = Object.entries(state.errors).sort((a, b) => b[1] - a[1]);
  return all.length === 0 ? "none since the start" : `mostly ${all[0][0]} (${large(all[0][1])})`;
}

/** Where reads ran in the last minutes, and why statements ran on the master. */
export function routing(state, samples) {
  const parts = [
    ["satellite", "satellites", sum(samples, (sample) => sample.satelliteReads)],
    ["cache", "result cache", sum(samples, (sample) => sample.cacheReads)],
    ["master", "master", sum(samples, (sample) => sample.masterReads)],
  ];
  const all = parts.reduce((total, part) => total + part[2], 0);
  const bars = parts.map(([kind, , value]) => {
    const part = h("div", {class: `swatch ${kind}`});
    part.style.width = `${all === 0 ? 0 : (100 * value) / all}%`;
    return part;
  });
  const reasons = new Map();
  samples.forEach((sample) => Object.entries(sample.onMaster).forEach(([reason, number]) =>
    reasons.set(reason, (reasons.get(reason) ?? 0) + number)));
  const statements = [...reasons.values()].reduce((total, number) => total + number, 0);
  const rows = [...reasons].sort((a, b) => b[1] - a[1]).slice(0, 8)
    .map(([reason, number]) => [state.reasons[reason], meter(number / statements), percent(number, statements), large(number)]);
  replace(byId("routing"),
    h("h2", {}, "Routing"),
    h("div", {class: "shares", role: "img", "aria-label": `Reads: ${parts.map(([, name, value]) => `${name} ${percent(value, all)}`).join(", ")}`}, bars),
    h("ul", {class: "legend"}, parts.map(([kind, name, value]) =>
      h("li", {}, h("span", {class: `swatch ${kind}`}), `${name} `, h("b", {}, percent(value, all))))),
    rows.length === 0
      ? h("p", {class: "empty"}, "No statement ran on the master in the last minutes.")
      : table("Why statements ran on the master", [["Why statements ran on the master", ""], ["share", "bar-cell"], ["in %", "right"], ["statements", "right"]], rows),
    state.detours.length === 0 ? null : h("p", {class: "note"}, "Most frequent since the start: ",
      state.detours.slice(0, 5).map((each) => `${each.reason}: ${each.detail} (${large(each.count)})`).join(" · ")));
}

function meter(share) {
  const bar = h("div", {});
  bar.style.width = `${100 * share}%`;
  return h("div", {class: "track", "aria-hidden": "true"}, bar);
}

function pairs(entries) {
  return h("dl", {class: "pairs"}, entries.flatMap(([name, value]) => [h("dt", {}, name), h("dd", {}, value)]));
}

export function engineRoom(state, samples) {
  const {commits, cache, memory} = state;
  const waits = sum(samples, (sample) => sample.waits);
  const waited = sum(samples, (sample) => sample.waits * sample.waitMillis);
  const hits = sum(samples, (sample) => sample.cacheReads);
  const lookups = cache.hits + cache.misses + cache.outdated;
  const places = recent(samples).filter((sample) => sample.all.count > 0).slice(-1)[0]?.byPlace ?? {};
  replace(byId("engine-room"),
    h("h2", {}, "Commits, cache, memory"),
    pairs([
      ["Commits since the start", large(commits.commits)],
      ["Transactions per group", commits.groups === 0 ? "–" : rate(commits.commits / commits.groups)],
      ["Published SCN", state.nodes.find((node) => node.role === "master")?.lsn ?? count(state.scn)],
      ["Reads that waited for freshness", large(waits)],
      ["Mean of these waits", waits === 0 ? "–" : duration(waited / waits)],
      ...["satellite", "cache", "master"].filter((place) => places[place]?.count > 0).map((place) =>
        [`Median | 99th percentile, ${place}`, `${duration(places[place].median)} | ${duration(places[place].p99)}`]),
    ]),
    cache.maxBytes === 0
      ? pairs([["Result cache", "off"]])
      : pairs([
        ["Cache hits since the start", lookups === 0 ? "–" : percent(cache.hits, lookups)],
        ["Cache hits, last minutes", large(hits)],
        ["Cached results", `${large(cache.entries)}, ${bytes(cache.bytes)} of ${bytes(cache.maxBytes)}`],
      ]),
    h("p", {class: "note"}, `Memory for requests and results: ${bytes(memory.used)} of ${bytes(memory.most)}`),
    meter(memory.used / memory.most));
}

export function clients(state) {
  const rows = state.clients.shown.map((client) => [
    client.user || "–", h("span", {class: "mono address"}, client.address),
    client.running ? h("span", {class: "badge info"}, "running")
      : client.inTransaction ? h("span", {class: "badge warning"}, "idle in transaction") : h("span", {class: "badge"}, "idle"),
    duration(client.stateMillis), client.pinned.join(", "), duration(client.connectedMillis),
  ]);
  replace(byId("clients"),
    h("h2", {}, `Clients (${count(state.clients.count)})`),
    rows.length === 0 ? h("p", {class: "empty"}, "No client is connected.")
      : table("Clients", [["user", ""], ["address", ""], ["state", ""], ["for", "right"], ["keeps a connection for", ""], ["connected", "right"]], rows));
}

export function events(state) {
  replace(byId("events"), h("h2", {}, "Events"),
    h("ul", {class: "events", tabindex: "0", "aria-label": "Events"}, state.events.map((event) =>
      h("li", {}, h("time", {}, clock(event.millis)), h("b", {}, event.subject), " ", h("span", {class: event.severity}, event.text)))));
}

/** The latest statements that took long, with the phases that took time. */
export function slow(state, administrator) {
  const place = byId("slow");
  place.hidden = !administrator;
  const phases = (each) => Object.entries(each.phases).sort((a, b) => b[1] - a[1])
    .map(([name, millis]) => `${name} ${duration(millis)}`).join(", ");
  replace(place, h("h2", {}, "Slow statements"),
    state.slow.length === 0 ? h("p", {class: "empty"}, "No statement was slow (log.slow-statements).")
      : table("Slow statements",
        [["at", ""], ["user", ""], ["statement", ""], ["took", "right"], ["phases", ""], ["node", ""]],
        state.slow.map((each) => [clock(each.begun), each.user || "–",
          h("span", {class: "mono"}, each.statement, each.sqlState ? ` (${each.sqlState})` : ""),
          duration(each.millis), phases(each), h("span", {title: each.route}, each.node || "none")])));
}

export function statements(state) {
  const place = byId("statements");
  place.hidden = state.cachedStatements.length === 0;
  replace(place, h("h2", {}, "Statements that the cache has served"),
    table("Statements that the cache has served",
      [["statement", ""], ["hits", "right"], ["misses", "right"], ["outdated", "right"], ["mean", "right"], ["saved", "right"]],
      state.cachedStatements.map((each) => [h("span", {class: "mono"}, each.sql), large(each.hits), large(each.misses),
        large(each.outdated), duration(each.micros / 1000), duration(each.savedMillis)])));
}

export function classes(state) {
  const place = byId("classes");
  place.hidden = state.classes.length === 0;
  replace(place, h("h2", {}, "Routing classes"),
    table("Routing classes", [["class", ""], ["running", "right"], ["waiting", "right"], ["admitted", "right"], ["refused", "right"]],
      state.classes.map((each) => [each.name, `${each.running} of ${each.concurrency}`, `${each.waiting} of ${each.queue}`,
        large(each.admitted), large(each.refused)])));
}
