/** Asks for the state every two seconds while the page is visible, and shows it. */
import {Chart} from "./charts.js";
import {confirmed} from "./dialogs.js";
import {byId, clock, duration, rate, setText} from "./dom.js";
import {Nodes} from "./nodes.js";
import * as panels from "./panels.js";
import * as server from "./server.js";

const PERIOD = 2000;
const MOST_SAMPLES = 300;

let session = null;
let samples = [];
let started = 0;
let lagChart = null;
let lagNames = "";
let timer = 0;

const nodes = new Nodes(operate);
const throughput = new Chart(byId("chart-throughput"), "Statements per second", [
  {name: "satellites", kind: "satellite", value: (sample) => sample.satelliteReads / sample.seconds},
  {name: "cache", kind: "cache", value: (sample) => sample.cacheReads / sample.seconds},
  {name: "reads on the master", kind: "master", value: (sample) => sample.masterReads / sample.seconds},
  {name: "updates", kind: "update", value: (sample) => sample.updates / sample.seconds},
], rate, true);
const latency = new Chart(byId("chart-latency"), "Latency", [
  {name: "median", kind: "median", value: (sample) => sample.all.median},
  {name: "99th percentile", kind: "p99", value: (sample) => sample.all.p99},
], duration, false);

/** Satellites come and go: the chart is made again when their names change. */
function showLag(state) {
  const names = state.nodes.filter((node) => node.role === "satellite").map((node) => node.name).slice(0, 4);
  if (lagChart === null || names.join() !== lagNames) {
    lagNames = names.join();
    lagChart = new Chart(byId("chart-lag"), "Lag of the satellites", names.map((name, i) =>
      ({name, kind: `lag-${i + 1}`, value: (sample) => sample.lagMillis[name] ?? 0})), duration, false);
  }
  lagChart.draw(samples);
}

function keep(state) {
  if (state.started !== started) {
    started = state.started;
    samples = [];
  }
  samples = [...samples, ...state.samples].slice(-MOST_SAMPLES);
}

function show(state) {
  keep(state);
  document.title = state.problems.length > 0 && state.problems[0].severity !== "INFO"
    ? `(!) ${state.database} – Multimed` : `${state.database} – Multimed`;
  setText(byId("identity"), `${state.database} · ${state.engine}`);
  byId("live").classList.remove("lost");
  setText(byId("live"), `live, ${clock(state.now)}`);
  byId("page").classList.remove("stale");
  panels.health(state);
  panels.jobs(state);
  panels.tiles(state, samples);
  nodes.show(state, session.administrator);
  byId("verify-all").hidden = !session.administrator || state.nodes.length < 2;
  throughput.draw(samples);
  latency.draw(samples);
  showLag(state);
  panels.routing(state, samples);
  panels.engineRoom(state, samples);
  panels.clients(state);
  panels.events(state);
  panels.slow(state, session.administrator);
  panels.statements(state);
  panels.classes(state);
  document.body.dataset.shown = samples.length;
}

async function poll() {
  clearTimeout(timer);
  try {
    const state = await server.state(samples.length === 0 ? 0 : samples[samples.length - 1].number);
    if (state.started !== started && started !== 0) {
      samples = [];
      started = 0;
      show(await server.state(0));
    } else {
      show(state);
    }
  } catch (failure) {
    if (failure instanceof server.LoginNeeded) {
      askForLogin();
      return;
    }
    lose(failure);
  }
  timer = setTimeout(poll, PERIOD);
}

function lose(failure) {
  console.warn(failure);
  byId("live").classList.add("lost");
  setText(byId("live"), "the middleware does not answer; trying again");
  byId("page").classList.add("stale");
}

async function operate(action, satellite, state) {
  const choice = await confirmed(action, satellite, state);
  if (choice === null) {
    return;
  }
  try {
    await server.act(action, satellite, choice.force);
  } catch (failure) {
    window.alert(failure.message);
  }
  poll();
}

function askForLogin() {
  byId("page").hidden = true;
  byId("logout").hidden = true;
  setText(byId("user"), "");
  setText(byId("live"), "");
  byId("login").hidden = false;
  byId("login-user").focus();
}

async function begin() {
  session = await server.session();
  if (!session.loggedIn) {
    askForLogin();
    return;
  }
  byId("login").hidden = true;
  byId("page").hidden = false;
  byId("logout").hidden = !session.users;
  setText(byId("user"), session.users ? `${session.user}${session.administrator ? ", administrator" : ""}` : "");
  samples = [];
  started = 0;
  await poll();
}

byId("login-form").addEventListener("submit", async (event) => {
  event.preventDefault();
  const button = byId("login-button");
  button.disabled = true;
  setText(byId("login-error"), "");
  try {
    await server.login(byId("login-user").value, byId("login-password").value);
    byId("login-password").value = "";
    await begin();
  } catch (failure) {
    setText(byId("login-error"), failure.message);
    byId("login-password").focus();
  } finally {
    button.disabled = false;
  }
});

byId("logout").addEventListener("click", async () => {
  clearTimeout(timer);
  await server.logout();
  await begin();
});

byId("verify-all").addEventListener("click", () => operate("verify", "", nodes.state));

document.addEventListener("visibilitychange", () => {
  clearTimeout(timer);
  if (!document.hidden && session?.loggedIn) {
    poll();
  }
});

begin().catch((failure) => {
  if (failure instanceof server.Refused) {
    setText(byId("refusal"), failure.message);
    byId("refused").hidden = false;
    return;
  }
  byId("page").hidden = false;
  lose(failure);
});
