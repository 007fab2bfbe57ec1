// Merges a request's `params` into the body that the provider receives. Invariant: `params` never change what the runtime sends itself,
// such as messages, tools and the stream: a request with such `params` is refused before it is sent.

import { isJsonObject, type JsonObject } from "#contract/json.ts";
import { isObject, type Fields } from "#lib/json-value.ts";
import { parseOwnJson } from "#lib/untrusted/own-json.ts";

import type { ProviderProfile } from "./provider/provider-profile.ts";
import { RefusedRequest } from "./refused-request.ts";

/** Names of fields that hold credentials at some server. No provider takes them from `params`. */
const credentials = ["api_key", "key", "authorization", "access_token", "headers"];

/** A path in the form that is compared. Google reads `system_instruction` and `systemInstruction` alike. */
function comparable(path: string): string {
  return path.replaceAll("_", "").toLowerCase();
}

/** Throws a RefusedRequest if `params` have a field that the runtime sets. */
export function checkParams(params: JsonObject, { reservedFields }: ProviderProfile): void {
  const reserved = new Set([...reservedFields, ...credentials].map(comparable));
  const check = (fields: JsonObject, parent: string): void => {
    for (const [name, value] of Object.entries(fields)) {
      const path = parent === "" ? name : `${parent}.${name}`;
      if (name === "__proto__" || reserved.has(comparable(path))) {
        throw new RefusedRequest(`The request's params contain "${path}", which only the runtime sets. Leave it out.`);
      }
      if (isJsonObject(value)) check(value, path);
    }
  };
  check(params, "");
}

/** The body with the params. Objects are merged field by field; other values of the params replace those of the body. */
function merged(body: Fields, params: JsonObject): Fields {
  const all: Record<string, unknown> = { ...body };
  for (const [name, value] of Object.entries(params)) {
    const before = all[name];
    all[name] = isObject(before) && isJsonObject(value) ? merged(before, value) : value;
  }
  return all;
}

/** A fetch that adds the params to each request's body. Returns `fetch` unchanged without params. */
export function paramsFetch(fetch: typeof globalThis.fetch, params: JsonObject | undefined): typeof globalThis.fetch {
  if (params === undefined) return fetch;
  const adding = (input: Parameters<typeof globalThis.fetch>[0], init?: RequestInit): Promise<Response> => {
    const body: unknown = typeof init?.body === "string" ? parseOwnJson(init.body) : null;
    return fetch(input, isObject(body) ? { ...init, body: JSON.stringify(merged(body, params)) } : init);
  };
  return adding as typeof globalThis.fetch;
}
