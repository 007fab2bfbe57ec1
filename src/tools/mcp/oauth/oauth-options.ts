// The options `oauth` of a definition, the key that encrypts its tokens, and the place to which a sealed text is bound.

import type { AuthorizationOwner } from "#core/ports/authorization-port.ts";
import type { Log } from "#lib/log-port.ts";
import { readSealKeys } from "#lib/sealed-text.ts";
import type { SealKeys } from "#lib/sealed-text.ts";
import { sha256Hex } from "#lib/sha256.ts";
import type { AnyMcpServerDefinition, McpOAuth } from "#spec/index.ts";

import { McpServerError } from "../server-error.ts";
import { functionError } from "../server-values.ts";

type Variables = Readonly<Record<string, unknown>>;

/** The variable with the keys. */
const keyVariable = "ENCRYPTION_KEY";

/** The hex digits of the digest of an address in a key. The sealed text is bound to the whole address. */
const keyDigits = 32;

/** A client that is registered at the authorization server. */
export interface OAuthClient {
  client_id: string;
  client_secret?: string;
  token_endpoint_auth_method?: string;
}

/** Returns the options of a definition; null if it does not use OAuth. */
export function oauthOf({ oauth = false }: AnyMcpServerDefinition): McpOAuth | null {
  return oauth === false ? null : oauth === true ? {} : oauth;
}

/** Returns the keys. Throws an error that names the variable, and the command that makes a key. */
export async function sealKeys(name: string, env: Variables): Promise<SealKeys> {
  const variable = env[keyVariable];
  const keys = await readSealKeys(variable);
  if (keys !== null) return keys;
  const isUnset = (variable ?? "") === "";
  throw new McpServerError(
    `The MCP server "${name}" is not ready: it uses OAuth, and the variable ${keyVariable} ` +
      `${isUnset ? "is not set" : "has no valid value"}. Make a key with \`openssl rand -base64 32\`, and set it with ` +
      `\`npx wrangler secret put ${keyVariable}\`, locally in .dev.vars.`,
  );
}

/** The dependencies of the function that returns a client's secret. */
interface ClientContext {
  env: Variables;
  log: Log;
}

/** Returns the client that the definition names; null if the client has to be registered. */
export function definedClient(
  name: string,
  { clientId, clientSecret }: McpOAuth,
  { env, log }: ClientContext,
): OAuthClient | null {
  if (clientId === undefined) return null;
  if (clientSecret === undefined) return { client_id: clientId };
  let secret: unknown = clientSecret;
  try {
    if (typeof clientSecret === "function") secret = clientSecret({ env });
  } catch (thrown) {
    throw functionError({ name, member: "oauth.clientSecret", log }, thrown);
  }
  if (typeof secret === "string" && secret !== "") return { client_id: clientId, client_secret: secret };
  throw new McpServerError(
    `The MCP server "${name}" is not ready: its \`oauth.clientSecret\` is empty. Set the variable that the function reads.`,
  );
}

/** The client of an authorization flow or of stored tokens. */
interface UsedClient {
  /** The registered client; null if the definition names the client. */
  client: OAuthClient | null;
  issuer: string;
}

/**
 * Returns the client for requests to the issuer of an authorization flow or of stored tokens. Null if the definition names no client any
 * more, or another issuer: the secret of the definition is for its issuer alone. A registered client belongs to its issuer, so it is
 * returned unchanged.
 */
export function usedClient(
  name: string,
  { oauth, ...context }: ClientContext & { oauth: McpOAuth },
  { client, issuer }: UsedClient,
): OAuthClient | null {
  if (client !== null) return client;
  return isAllowedIssuer(oauth, issuer) ? definedClient(name, oauth, context) : null;
}

/** Whether a definition accepts tokens of the issuer. */
export function isAllowedIssuer({ issuer: expected }: McpOAuth, issuer: string): boolean {
  return expected === undefined || isSameIssuer(expected, issuer);
}

/**
 * The key of a definition's tokens in the store of their owner. If a function makes the address, each address has tokens of its own: threads
 * of one user that have different addresses would otherwise replace each other's tokens.
 */
export async function storeKey({ name, url }: AnyMcpServerDefinition, address: () => URL): Promise<string> {
  return typeof url === "function" ? `${name}/${(await sha256Hex(address().href)).slice(0, keyDigits)}` : name;
}

/** The names of sealed texts. Stored texts are bound to them, so they do not change. */
const sealedNames = { tokens: "mcp oauth tokens", flow: "mcp oauth visit" };

/** The place to which a sealed text is bound: its kind, its owner, and the name and address of the server. */
export function sealPlace(
  what: keyof typeof sealedNames,
  owner: AuthorizationOwner,
  { name, url }: { name: string; url: URL },
): string[] {
  const whose = "user" in owner ? ["user", owner.user] : ["thread", owner.thread];
  return [sealedNames[what], ...whose, name, url.href];
}

/** The place of the parameter `state`. */
export const statePlace = ["mcp oauth state"];

/** Whether two issuers are equal. Metadata and documents write the slash at the end of an origin differently. */
export function isSameIssuer(one: string, other: string): boolean {
  return one.replace(/\/$/, "") === other.replace(/\/$/, "");
}
