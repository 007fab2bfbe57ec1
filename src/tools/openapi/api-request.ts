// Builds the request of a call. The arguments come from a model and the document may come from outside, so neither can leave the path of
// the server, add headers that the document does not name, or read the credentials.

import type { Json, JsonObject } from "#contract/json.ts";
import type { OpenApiCredential } from "#spec/index.ts";

import { ApiError } from "./api-error.ts";
import type { OperationPlan, ParameterPlan } from "./operation-plan.ts";
import type { Operation } from "./operation.ts";
import { encoded, headerValue, pathValue, plainText, queryPairs } from "./parameter-style.ts";

/** A request without its body. */
export interface ApiRequest {
  /** The address, with the credentials that its query contains. */
  url: string;
  /** The address without credentials, as a model reads it. */
  shownUrl: string;
  headers: Record<string, string>;
}

/** What a definition adds to every request. */
export interface Additions {
  headers: Readonly<Record<string, string>>;
  credentials: readonly OpenApiCredential[];
}

/** Builds the address and the headers. Throws an `ApiError` that names the argument. */
export function apiRequest(
  { operation, plan, args }: { operation: Operation; plan: OperationPlan; args: JsonObject },
  address: URL,
  additions: Additions,
): ApiRequest {
  const values = plan.parameters.flatMap((parameter) => {
    const value = Object.hasOwn(args, parameter.key) ? args[parameter.key] : undefined;
    return value === undefined || (value === null && parameter.in !== "path") ? [] : [{ parameter, value }];
  });
  const inPlace = (place: ParameterPlan["in"]) => values.filter(({ parameter }) => parameter.in === place);
  const { headers, query: addedQuery, cookies: addedCookies } = added(additions);
  const query = inPlace("query").flatMap(({ parameter, value }) => {
    return queryPairs(parameter.name, asJson(parameter, value), parameter);
  });
  const cookies = inPlace("cookie").flatMap(({ parameter, value }) => {
    return queryPairs(parameter.name, asJson(parameter, value), { ...parameter, style: "form" });
  });
  const own = inPlace("header").map(({ parameter, value }): [string, string] => {
    return [parameter.name.toLowerCase(), checkedHeader(parameter, headerValue(asJson(parameter, value), parameter))];
  });
  const path = pathOf(operation, inPlace("path"), address);
  const isFree = ({ name }: { name: string }) => !addedQuery.some((each) => each.name === name);
  const shown = withQuery(path, query.filter(isFree));
  const cookie = [...cookies.filter(({ name }) => !addedCookies.some((each) => each.name === name)), ...addedCookies];
  return {
    url: withQuery(shown, addedQuery),
    shownUrl: shown,
    headers: {
      ...Object.fromEntries(own),
      ...headers,
      ...(cookie.length > 0
        ? { cookie: [headers["cookie"], ...cookie.map(({ text }) => text)].filter(Boolean).join("; ") }
        : {}),
    },
  };
}

function asJson({ isJson }: ParameterPlan, value: Json): Json {
  return isJson ? JSON.stringify(value) : value;
}

const controlCharacter = /\p{Cc}/u;

/** A value that a cookie can contain without encoding (RFC 6265). */
const cookieValue = /^[\x21\x23-\x2b\x2d-\x3a\x3c-\x5b\x5d-\x7e]*$/;

/** The headers and pairs that the definition adds. */
function added({ headers, credentials }: Additions): {
  headers: Record<string, string>;
  query: { name: string; text: string }[];
  cookies: { name: string; text: string }[];
} {
  const result = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
  const query: { name: string; text: string }[] = [];
  const cookies: { name: string; text: string }[] = [];
  for (const credential of credentials) {
    if (credential.type === "bearer") result["authorization"] = `Bearer ${credential.token}`;
    else if (credential.type === "basic") result["authorization"] = `Basic ${basic(credential)}`;
    else if (credential.in === "header") result[credential.name.toLowerCase()] = credential.value;
    else {
      const { name, value } = credential;
      const isCookie = credential.in === "cookie" && cookieValue.test(value);
      const pair = { name, text: `${encoded(name)}=${isCookie ? value : encoded(value)}` };
      (credential.in === "query" ? query : cookies).push(pair);
    }
  }
  return { headers: result, query, cookies };
}

/** The credentials of HTTP's basic scheme, as UTF-8 in base64. */
function basic({ username, password }: { username: string; password: string }): string {
  return btoa(String.fromCharCode(...new TextEncoder().encode(`${username}:${password}`)));
}

/** The names of headers whose values are secret, however short they are. */
const secretHeader = /auth|cookie|credential|key|pass|secret|signature|token/i;

/** The texts that no result may contain. */
export function secretsOf({ headers, credentials }: Additions): string[] {
  const texts = credentials.flatMap((credential) => {
    if (credential.type === "bearer") return [credential.token];
    if (credential.type === "basic") return [credential.password, basic(credential)];
    return [credential.value];
  });
  // A header without a secret, such as a version, may be part of any text, so of other headers only long values are removed.
  const values = Object.entries(headers).flatMap(([name, value]) => {
    // The scheme, such as `Bearer`, is no secret.
    const words = secretHeader.test(name) ? value.split(/[\s,;]+/) : [];
    return [...words, ...(value.length >= 16 || words.length > 0 ? [value] : [])];
  });
  const written = [...texts, ...values].flatMap((text) => formsOf(text));
  // A longer text may contain a shorter one. A very short one would occur in any text.
  return [...new Set(written)].filter((text) => text.length >= 4).toSorted((one, other) => other.length - one.length);
}

/** A secret as it is, in JSON, and in addresses and forms, whose encodings may have digits in lower case. */
function formsOf(text: string): string[] {
  const inForm = encoded(text).replaceAll("%20", "+");
  const encodings = [encoded(text), inForm];
  const lower = encodings.map((each) => each.replaceAll(/%[\dA-F]{2}/g, (digits) => digits.toLowerCase()));
  return [text, JSON.stringify(text).slice(1, -1), ...encodings, ...lower];
}

function checkedHeader({ key }: ParameterPlan, value: string): string {
  if (/^[\t\x20-\x7e\x80-\xff]*$/.test(value)) return value;
  throw new ApiError(`was not called: the argument "${key}" has characters that a header cannot have.`);
}

function withQuery(url: string, pairs: readonly { text: string }[]): string {
  if (pairs.length === 0) return url;
  return `${url}${url.includes("?") ? "&" : "?"}${pairs.map(({ text }) => text).join("&")}`;
}

/** The address of the operation with its variables. It is below the address of the server. */
function pathOf(
  { path }: Operation,
  values: readonly { parameter: ParameterPlan; value: Json }[],
  address: URL,
): string {
  const filled = path.replaceAll(/\{([^{}]+)\}/g, (_, name: string) => {
    const found = values.find(({ parameter }) => parameter.name === name);
    if (found === undefined) throw new ApiError(`was not called: the argument for "${name}" in the path is missing.`);
    const { parameter, value } = found;
    const text = pathValue(name, asJson(parameter, value), { ...parameter, allowReserved: false });
    if (value === null || plainText(value) === "" || text === "") {
      throw new ApiError(`was not called: the argument "${parameter.key}" is part of the path and cannot be empty.`);
    }
    return text;
  });
  const base = `${address.origin}${address.pathname.replace(/(?<!\/)\/+$/, "")}`;
  const [onlyPath = ""] = filled.split(/[?#]/);
  const url = URL.parse(`${base}${filled}`);
  // `.` and `..` are names of other paths, also if they are encoded. A parser of addresses removes tabs and line breaks.
  const isDotted = onlyPath.split(/[/\\]/).some((segment) => /^(?:\.|%2e){1,2}$/i.test(segment));
  const hasControl = controlCharacter.test(filled);
  if (!filled.startsWith("/") || isDotted || hasControl || url === null || !url.href.startsWith(base)) {
    throw new ApiError("was not called: the arguments lead out of the path of the operation.");
  }
  return url.href.replace(/#.*$/, "");
}
