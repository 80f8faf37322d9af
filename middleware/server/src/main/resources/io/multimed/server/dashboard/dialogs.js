/** The confirmation of operations. */
import {byId} from "./dom.js";

const TEXTS = {
  drain: ["Drain", "It receives no new reads. Running ones may end, for up to 60 s. It continues to apply commits."],
  resume: ["Resume", "It receives reads again."],
  reseed: ["Reseed", "All of its data is deleted and copied from the master again. It answers no reads until then."
    + " Commits continue."],
  verify: ["Verify", "Every row is compared with the master during operation. This reads all tables on both nodes."],
};

/** Asks for a confirmation. Returns {force} if the user confirms, otherwise null. */
export function confirmed(action, satellite, state) {
  const [verb, text] = TEXTS[action];
  const name = satellite || "all satellites";
  const dialog = byId("confirm");
  byId("confirm-title").textContent = `${verb} ${name}?`;
  byId("confirm-text").textContent = text;
  byId("confirm-yes").textContent = `${verb} ${name}`;
  const last = (action === "drain" || action === "reseed") && isLastOnline(satellite, state);
  byId("confirm-force").hidden = !last;
  byId("confirm-force-text").textContent =
    `${name} is the only satellite that is online. Let the master run all reads meanwhile.`;
  const box = byId("confirm-force-box");
  const yes = byId("confirm-yes");
  box.checked = false;
  yes.disabled = last;
  box.onchange = () => {
    yes.disabled = !box.checked;
  };
  dialog.returnValue = "no";
  dialog.showModal();
  return new Promise((resolve) => {
    dialog.addEventListener("close", () => resolve(dialog.returnValue === "yes" ? {force: box.checked} : null), {once: true});
  });
}

function isLastOnline(satellite, state) {
  const online = state.nodes.filter((node) => node.role === "satellite" && node.state === "ONLINE");
  return online.length === 1 && online[0].name === satellite;
}
