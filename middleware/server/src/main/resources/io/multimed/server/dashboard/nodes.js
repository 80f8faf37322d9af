/** One card per node. Cards stay in the page while their texts change, so that buttons keep the keyboard's focus. */
import {byId, bytes, count, duration, h, large, rate, setText} from "./dom.js";

const STATES = {
  ONLINE: ["good", "✓ ONLINE"],
  OFFLINE: ["error", "✕ OFFLINE"],
  DROPPED: ["error", "✕ DROPPED"],
  SEEDING: ["info", "↻ SEEDING"],
  RECOVERING: ["info", "↻ RECOVERING"],
  DRAINING: ["warning", "‖ DRAINING"],
  DRAINED: ["warning", "‖ DRAINED"],
};
const MOST_SQUARES = 64;
const LONG_LAG = 5000;

/** Shows all nodes; act(action, node, state) is called by the buttons. */
export class Nodes {
  constructor(act) {
    this.act = act;
    this.cards = new Map();
    this.before = null;
  }

  show(state, administrator) {
    const place = byId("nodes");
    for (const [name, card] of this.cards) {
      if (!state.nodes.some((node) => node.name === name)) {
        card.root.remove();
        this.cards.delete(name);
      }
    }
    for (const node of state.nodes) {
      if (!this.cards.has(node.name)) {
        const card = new Card(node, (action) => this.act(action, node.name, this.state));
        this.cards.set(node.name, card);
        place.append(card.root);
      }
      this.cards.get(node.name).show(node, this.rates(node, state), state, administrator);
    }
    this.before = state;
    this.state = state;
  }

  /** Returns the numbers per second since the last state. */
  rates(node, state) {
    const earlier = this.before?.nodes.find((each) => each.name === node.name);
    const seconds = this.before ? (state.now - this.before.now) / 1000 : 0;
    const since = (value) =>
      (earlier && seconds > 0 ? Math.max(0, value(node) - value(earlier)) / seconds : 0);
    return {
      reads: since((each) => each.reads),
      updates: since((each) => each.updates),
      applied: since((each) => each.applier.writeSets),
    };
  }
}

class Card {
  constructor(node, act) {
    this.master = node.role === "master";
    this.chip = h("span", {class: "chip"});
    this.cores = h("div", {class: "cores"});
    this.facts = new Map();
    this.loadText = h("span", {});
    this.loadBar = h("div", {});
    this.trouble = h("p", {class: "trouble"});
    this.buttons = new Map();
    this.root = h("article", {class: "panel node", "aria-label": `${node.role} ${node.name}`},
      h("header", {}, h("h3", {}, node.name), h("span", {class: "role"}, node.role), this.chip),
      this.cores,
      h("dl", {class: "facts"}, this.names().map((name) => this.fact(name))),
      h("div", {class: "load"}, this.loadText, h("div", {class: "track"}, this.loadBar)),
      this.trouble,
      this.master ? null : this.row(node, act));
  }

  names() {
    return this.master
      ? ["SCN", "Reads", "Updates", "Pinned", "Waiting"]
      : ["SCN", "Lag", "Behind", "Reads", "Applied", "Queue"];
  }

  fact(name) {
    const value = h("dd", {});
    this.facts.set(name, value);
    return h("div", {}, h("dt", {}, name), value);
  }

  row(node, act) {
    const button = (action, text) => {
      const made = h("button", {type: "button", "aria-label": `${text} ${node.name}`}, text);
      made.addEventListener("click", () => act(action));
      this.buttons.set(action, made);
      return made;
    };
    this.actions = h("div", {class: "buttons"},
      button("drain", "Drain"), button("resume", "Resume"), button("reseed", "Reseed"), button("verify", "Verify"));
    return this.actions;
  }

  show(node, rates, state, administrator) {
    const [kind, text] = STATES[node.state] ?? ["warning", node.state];
    const mood = kind === "error" ? " away" : node.state === "ONLINE" ? "" : " resting";
    this.root.className = `panel node ${node.role}${mood}`;
    this.chip.className = `chip ${kind}`;
    setText(this.chip, text);
    this.showCores(node, state.processors);
    this.showFacts(node, rates);
    this.showLoad(node);
    setText(this.trouble, node.trouble ?? "");
    this.trouble.hidden = !node.trouble;
    if (!this.master) {
      this.showButtons(node, state, administrator);
    }
  }

  showCores(node, processors) {
    const key = `${node.cores}/${processors}`;
    if (this.shownCores === key) {
      return;
    }
    this.shownCores = key;
    const all = node.cores === "all";
    const own = new Set(all ? [] : node.cores.split(",").map(Number));
    const squares = processors > MOST_SQUARES ? [] : Array.from({length: processors}, (_, i) =>
      h("span", {class: all || own.has(i) ? "core own" : "core", "aria-hidden": "true"}));
    this.cores.replaceChildren(...squares,
      h("span", {class: "names"}, all ? `all ${processors} cores` : `cores ${ranges([...own])}`));
  }

  set(name, text, warning = false) {
    const element = this.facts.get(name);
    setText(element, text);
    element.className = warning ? "warning" : "";
  }

  showFacts(node, rates) {
    this.set("SCN", node.lsn ?? count(node.applied));
    this.set("Reads", `${rate(rates.reads)} /s`);
    if (this.master) {
      this.set("Updates", `${rate(rates.updates)} /s`);
      this.set("Pinned", node.pinned === "" ? "0" : node.pinned.split(" ")[0]);
      this.facts.get("Pinned").title = node.pinned;
      this.set("Waiting", count(node.waiting), node.waiting > 0);
    } else {
      this.set("Lag", duration(node.lagMillis), node.lagMillis > LONG_LAG);
      this.set("Behind", node.lsn ? bytes(node.lagScns) : `${large(node.lagScns)} SCN`);
      this.set("Applied", `${rate(rates.applied)} /s`);
      this.set("Queue", bytes(node.applier.queuedBytes));
    }
  }

  showLoad(node) {
    const share = Math.min(1, node.active / Math.max(1, node.connections));
    const waiting = node.waiting > 0 ? `, ${count(node.waiting)} wait` : "";
    setText(this.loadText, `${node.active} of ${node.connections} connections in use${waiting}`);
    this.loadBar.style.width = `${100 * share}%`;
    this.loadBar.className = share >= 1 ? "full" : "";
  }

  showButtons(node, state, administrator) {
    this.actions.hidden = !administrator;
    const drained = node.state.startsWith("DRAIN");
    const busy = state.jobs.some((job) => job.state === "running" && job.satellite === node.name);
    this.buttons.get("drain").hidden = drained;
    this.buttons.get("resume").hidden = !drained;
    this.buttons.forEach((button) => {
      button.disabled = busy;
    });
  }
}

/** Writes 0,1,2,5 as 0–2, 5. */
function ranges(cores) {
  const parts = [];
  for (const core of cores.sort((a, b) => a - b)) {
    const last = parts[parts.length - 1];
    if (last && last[1] === core - 1) {
      last[1] = core;
    } else {
      parts.push([core, core]);
    }
  }
  return parts.map(([first, end]) => (first === end ? `${first}` : `${first}–${end}`)).join(", ");
}
