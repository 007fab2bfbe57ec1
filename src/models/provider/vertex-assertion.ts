// The assertion of a service account: a JSON Web Token that its private key signs, for which Google's token endpoint creates an access token
// (https://developers.google.com/identity/protocols/oauth2/service-account). Invariant: the assertion is sent to Google's endpoint alone.

import { fromBase64, toBase64 } from "#lib/base64.ts";
import { isObject, parseJson } from "#lib/json-value.ts";

import { RefusedRequest } from "../refused-request.ts";
import { textOf } from "./chunk-field.ts";
import type { Credentials, TokenRequest } from "./cloud-access.ts";

const endpoint = "https://oauth2.googleapis.com/token";
const scope = "https://www.googleapis.com/auth/cloud-platform";

/** Seconds until an assertion expires: the longest that Google accepts. */
const lifetime = 3600;

/** A service account, and the variable with its private key. */
interface Account {
  email: string;
  key: string;
  keyId: string | null;
  variable: string;
}

function refused(variable: string, reason: string): RefusedRequest {
  return new RefusedRequest(`The variable ${variable} ${reason}.`, { kind: "not_configured" });
}

/** The service account in the variables: two of them, or the whole JSON file of its key. */
function accountOf({ GOOGLE_CLIENT_EMAIL: email, GOOGLE_PRIVATE_KEY: key, ...others }: Credentials): Account {
  if (email !== undefined && key !== undefined) return { email, key, keyId: null, variable: "GOOGLE_PRIVATE_KEY" };
  const [variable = "", text = ""] = Object.entries(others)[0] ?? [];
  const file = parseJson(text);
  if (!isObject(file)) throw refused(variable, "is not the JSON of a service account's key");
  const type = textOf(file["type"]);
  if (type !== null && type !== "service_account")
    throw refused(
      variable,
      `has credentials of the type ${JSON.stringify(type.slice(0, 50))}; a service account is needed`,
    );
  const tokenUri = textOf(file["token_uri"]);
  if (tokenUri !== null && tokenUri !== endpoint)
    throw refused(variable, `has another token_uri than ${endpoint}, to which nothing is sent`);
  const [ofFile, keyOfFile] = [textOf(file["client_email"]), textOf(file["private_key"])];
  if (ofFile === null || keyOfFile === null) throw refused(variable, "has no client_email or no private_key");
  return { email: ofFile, key: keyOfFile, keyId: textOf(file["private_key_id"]), variable };
}

/** The bytes of a private key in PKCS #8. Line breaks may be written as `\n`, as in the JSON file. */
function keyBytes({ key, variable }: Account): Uint8Array<ArrayBuffer> {
  const text = key.replaceAll("\\n", "\n").replaceAll("\\r", "").trim().replace(/^"|"$/g, "");
  const [, label, body = ""] = /^-----BEGIN ([A-Z ]+)-----([\sA-Za-z0-9+/=]*)-----END/.exec(text) ?? [];
  const form = "is no private key: it begins with -----BEGIN PRIVATE KEY-----, as private_key of the JSON file does";
  if (label !== "PRIVATE KEY") throw refused(variable, label === undefined ? form : `has a ${label}, and ${form}`);
  const bytes = fromBase64(body.replaceAll(/\s+/g, ""));
  if (bytes === null) throw refused(variable, form);
  return new Uint8Array(bytes);
}

function encoded(bytes: Uint8Array): string {
  return toBase64(bytes).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

const encoder = new TextEncoder();
const algorithm = { name: "RSASSA-PKCS1-v1_5", hash: "SHA-256" };

async function signature(account: Account, text: string): Promise<Uint8Array> {
  const bytes = keyBytes(account);
  try {
    const key = await crypto.subtle.importKey("pkcs8", bytes, algorithm, false, ["sign"]);
    return new Uint8Array(await crypto.subtle.sign(algorithm, key, encoder.encode(text)));
  } catch {
    throw refused(account.variable, "has a private key that cannot be read: it is no RSA key in PKCS #8");
  }
}

/** Creates the request for an access token of a service account. */
export async function assertionRequest(credentials: Credentials, now: number): Promise<TokenRequest> {
  const account = accountOf(credentials);
  const issued = Math.floor(now / 1000);
  const head = { alg: "RS256", typ: "JWT", ...(account.keyId === null ? {} : { kid: account.keyId }) };
  const claims = { iss: account.email, scope, aud: endpoint, iat: issued, exp: issued + lifetime };
  const unsigned = [head, claims].map((part) => encoded(encoder.encode(JSON.stringify(part)))).join(".");
  const assertion = `${unsigned}.${encoded(await signature(account, unsigned))}`;
  return { url: endpoint, form: { grant_type: "urn:ietf:params:oauth:grant-type:jwt-bearer", assertion } };
}
