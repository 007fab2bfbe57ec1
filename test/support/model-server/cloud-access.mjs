// The access rules of clouds on the model server: the token endpoints of Entra ID and Google, which create tokens, and the check of each request
// to an address of a cloud. A token endpoint checks what the real one checks: the form, and the signature, audience and times of an assertion.

import { createPublicKey, generateKeyPairSync, verify } from "node:crypto";

/** @typedef {{ status: number, body: unknown }} Reply */

const clientId = "client-of-the-tests";
const clientSecret = "client-secret-0009~abc";
const serviceAccount = "agent@project-of-the-tests.iam.gserviceaccount.com";

/** A token that never expires, for tests that create none. */
const lastingToken = "ya29.vertex-secret-0006";

/** @param {string} text */
const encoded = (text) => Buffer.from(text).toString("base64url");

/** @param {string | undefined} part */
const decoded = (part) => JSON.parse(Buffer.from(part ?? "", "base64url").toString("utf8"));

/** The tokens that were created, and the key of the service account. */
export class CloudAccess {
  #tokens = new Set();
  #created = 0;
  /** @type {{ publicKey: string, privateKey: string } | null} */
  #pair = null;

  /** The key pair of the service account. Its creation takes time, so that only tests that need it wait for it. */
  get #keys() {
    this.#pair ??= generateKeyPairSync("rsa", {
      modulusLength: 2048,
      publicKeyEncoding: { type: "spki", format: "pem" },
      privateKeyEncoding: { type: "pkcs8", format: "pem" },
    });
    return this.#pair;
  }

  /** What a test needs: the private key of the service account. */
  get account() {
    return { client_email: serviceAccount, private_key: this.#keys.privateKey };
  }

  /**
   * Makes a token expire.
   * @param {string} token
   */
  expire(token) {
    this.#tokens.delete(token);
  }

  /**
   * The answer of a token endpoint; null for any other path.
   * @param {string} pathname
   * @param {unknown} form
   * @returns {Reply | null}
   */
  tokenReply(pathname, form) {
    const fields = Object.fromEntries(new URLSearchParams(typeof form === "string" ? form : ""));
    if (/^\/[\w-]+\/oauth2\/v2\.0\/token$/.test(pathname)) return this.#entra(fields);
    return pathname === "/token" ? this.#google(fields) : null;
  }

  /** @param {string} prefix */
  #token(prefix) {
    const token = `${prefix}.${encoded(`token ${++this.#created}`)}.signature-${this.#created}`;
    this.#tokens.add(token);
    return { status: 200, body: { token_type: "Bearer", expires_in: 3599, access_token: token } };
  }

  /** @param {Record<string, string>} fields */
  #entra({ grant_type: type, client_id: id, client_secret: secret, scope }) {
    const isKnown = type === "client_credentials" && id === clientId && secret === clientSecret;
    const isScope = /^https:\/\/cognitiveservices\.azure\.(?:com|us|cn)\/\.default$/.test(scope ?? "");
    if (isKnown && isScope) return this.#token(`eyJ${encoded("entra")}`);
    const description = `AADSTS7000215: Invalid client secret provided for the app '${id}'.`;
    return { status: 401, body: { error: "invalid_client", error_description: description } };
  }

  /** @param {Record<string, string>} fields */
  #google({ grant_type: type, assertion = "" }) {
    const refused = (/** @type {string} */ description) => ({
      status: 400,
      body: { error: "invalid_grant", error_description: description },
    });
    if (type !== "urn:ietf:params:oauth:grant-type:jwt-bearer") return refused("Unsupported grant type");
    const [head, claims, signature = ""] = assertion.split(".");
    const { alg } = decoded(head);
    const { iss, scope, aud, iat, exp } = decoded(claims);
    const key = createPublicKey(this.#keys.publicKey);
    const isSigned = verify("sha256", Buffer.from(`${head}.${claims}`), key, Buffer.from(signature, "base64url"));
    if (alg !== "RS256" || !isSigned) return refused("Invalid JWT Signature.");
    if (iss !== serviceAccount) return refused("Invalid grant: account not found");
    const now = Date.now() / 1000;
    if (iat > now + 300 || exp < now || exp - iat > 3600)
      return refused("Invalid JWT: Token must be a short-lived token (60 minutes) and in a reasonable timeframe.");
    if (aud !== "https://oauth2.googleapis.com/token" || scope !== "https://www.googleapis.com/auth/cloud-platform")
      return refused("Invalid JWT: aud or scope");
    return this.#token("ya29");
  }

  /**
   * The refusal of a request to an address of a cloud, by its rules; null for an accepted request and for any other address.
   * @param {URL} url
   * @param {Record<string, unknown>} headers
   * @param {any} body
   * @returns {Reply | null}
   */
  refusal({ pathname, searchParams }, headers, body) {
    const { authorization } = headers;
    const bearer = typeof authorization === "string" ? /^Bearer (.+)$/.exec(authorization)?.[1] : undefined;
    const isToken = bearer !== undefined && (bearer === lastingToken || this.#tokens.has(bearer));
    if (/^\/(?:openai\/(?:v1|deployments|responses)|models\/chat)/.test(pathname)) {
      const key = headers["api-key"];
      const isKey = typeof key === "string" && key !== "" && bearer === undefined;
      if (!isKey && !(isToken && key === undefined))
        return {
          status: 401,
          body: { error: { code: "401", message: "Access denied due to invalid subscription key" } },
        };
      const isDated = /^\d{4}-\d\d-\d\d(?:-preview)?$/.test(searchParams.get("api-version") ?? "");
      if (!pathname.startsWith("/openai/v1/") && !isDated)
        return { status: 404, body: { error: { code: "404", message: "Resource not found" } } };
      return null;
    }
    // At a gateway the path does not begin with the version, and the gateway has the key.
    if (!/^\/v1\/(?:.+\/)?publishers\/(?:google|anthropic)\/models\//.test(pathname)) return null;
    const isClaude = pathname.includes("/publishers/anthropic/");
    if (isClaude && (body?.anthropic_version !== "vertex-2023-10-16" || body.model !== undefined)) {
      const message = "anthropic_version: Field required, and no model";
      return { status: 400, body: { type: "error", error: { type: "invalid_request_error", message } } };
    }
    const isExpress = pathname.startsWith("/v1/publishers/");
    const isKey = typeof headers["x-goog-api-key"] === "string" && bearer === undefined;
    if (isExpress ? isKey : isToken && headers["x-goog-api-key"] === undefined) return null;
    const message = "Request had invalid authentication credentials. Expected OAuth 2 access token.";
    return { status: 401, body: { error: { code: 401, message, status: "UNAUTHENTICATED" } } };
  }
}
