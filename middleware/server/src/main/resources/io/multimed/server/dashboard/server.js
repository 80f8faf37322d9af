/** Requests to the middleware. */

let guard = "";

export class LoginNeeded extends Error {}

/** The account of the browser may not use the dashboard. */
export class Refused extends Error {}

async function answer(response) {
  if (response.status === 401) {
    throw new LoginNeeded((await response.text()).trim());
  }
  if (!response.ok) {
    throw new Error((await response.text()).trim());
  }
  return response.json();
}

const options = {cache: "no-store", credentials: "same-origin"};

export async function session() {
  const response = await fetch("/api/session", options);
  if (response.status === 403) {
    throw new Refused((await response.text()).trim());
  }
  const found = await answer(response);
  guard = found.guard ?? "";
  return found;
}

export async function state(after) {
  return answer(await fetch(`/api/state?after=${after}`, {...options, signal: AbortSignal.timeout(10000)}));
}

async function post(path, form) {
  return answer(await fetch(path, {
    ...options,
    method: "POST",
    headers: {"X-Multimed-Guard": guard},
    body: new URLSearchParams(form),
  }));
}

export const login = (user, password) => post("/api/login", {user, password});
export const logout = () => post("/api/logout", {});
export const act = (action, satellite, force) => post("/api/action", {action, satellite, force});
