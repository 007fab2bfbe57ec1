// The real app with the real objects of the test Worker, with users and short functions to send requests as one of them.

import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";

import type { Environment } from "#worker/bindings.ts";
import { compose } from "#worker/compose.ts";

import type { Send } from "../../support/session-client/session-client.ts";
import { registry } from "../../worker/definitions.ts";

const users = {
  ...(env as unknown as Environment),
  OPEN_LOOPBACK: "",
  API_TOKENS: "admin-secret,anna-secret=anna,ben-secret=ben,cora-secret=cora",
  LIMIT_ADMISSIONS_PER_MINUTE: "100000",
  LIMIT_OPEN_STREAMS: "1000",
  LIMIT_ACTIVE_RUNS: "1000",
};

const { fetch } = compose(registry, {});

/** Sends a request as a user, or as an administrator without a user. */
function as(who: "anna" | "ben" | "cora" | "admin"): Send {
  return async (path, init = {}) => {
    const headers = new Headers(init.headers);
    headers.set("authorization", `Bearer ${who}-secret`);
    return fetch(new Request(`https://api.example${path}`, { ...init, headers }), users, createExecutionContext());
  };
}

export const anna = as("anna");
export const ben = as("ben");
/** A user of one test, which counts the threads of this user. */
export const cora = as("cora");
export const admin = as("admin");

/** A JSON request and its answer. */
export async function ask<T>(send: Send, method: string, path: string, json?: object): Promise<T> {
  const body =
    json === undefined ? {} : { body: JSON.stringify(json), headers: { "content-type": "application/json" } };
  const response = await send(path, { method, ...body });
  return (await response.json()) as T;
}
