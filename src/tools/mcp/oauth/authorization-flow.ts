// A person's authorization flow: it begins with discovery and the address of the authorization request, and ends with the exchange of the
// code. The parameter `state` names the flow. It is sealed, so a text that this deployment did not create reaches no object. The stored flow is
// bound to the browser that began it, and can be used once.

import {
  exchangeAuthorization,
  parseErrorResponse,
  registerClient,
  RegistrationRejectedError,
  startAuthorization,
} from "@modelcontextprotocol/client";
import { z } from "zod";

import type {
  AuthorizationModule,
  BegunAuthorizationFlow,
  AuthorizationContext,
  AuthorizationFlowPlace,
  AuthorizationResponse,
} from "#core/ports/authorization-port.ts";
import { seal, unseal, urlText } from "#lib/sealed-text.ts";
import type { SealKeys } from "#lib/sealed-text.ts";
import { sha256Hex } from "#lib/sha256.ts";
import { parseOwnJson } from "#lib/untrusted/own-json.ts";
import type { AnyMcpServerDefinition, McpOAuth } from "#spec/index.ts";

import { McpServerError } from "../server-error.ts";
import { callTimes, serverAddress, serverHeaders } from "../server-values.ts";
import { knownCode, oauthError, oauthFetch, tokenRequests } from "./oauth-fetch.ts";
import {
  definedClient,
  isAllowedIssuer,
  isSameIssuer,
  oauthOf,
  sealKeys,
  sealPlace,
  statePlace,
  storeKey,
  usedClient,
} from "./oauth-options.ts";
import type { OAuthClient } from "./oauth-options.ts";
import { revoke } from "./revocation.ts";
import { discoverServer } from "./server-metadata.ts";
import type { AuthorizationServer } from "./server-metadata.ts";
import { clientOf, readRecord, readTokens, tokenServer, writeRecord } from "./token-record.ts";
import type { TokenRecord } from "./token-record.ts";

/** Seconds in which a person has to return from the authorization server. */
const flowSeconds = 600;

const defaultClientName = "Threadhold";

/** The maximum length of the callback's parameters `state` and `code`. */
const parameterLimit = 8192;

const placeSchema = z.object({
  owner: z.union([z.strictObject({ user: z.string() }), z.strictObject({ thread: z.string() })]),
  source: z.string(),
  threadId: z.string(),
  id: z.string(),
  until: z.number(),
});

const flowSchema = z.object({
  verifier: z.string(),
  redirectUri: z.string(),
  server: z.object({
    issuer: z.string(),
    authorizationEndpoint: z.string(),
    tokenEndpoint: z.string(),
    registrationEndpoint: z.string().nullable(),
    revocationEndpoint: z.string().nullable(),
    clientMethods: z.array(z.string()),
    sendsIssuer: z.boolean(),
    resource: z.string().nullable(),
    scope: z.string().nullable(),
  }),
  /** The registered client; null if the definition names the client. */
  client: z
    .object({
      client_id: z.string(),
      client_secret: z.string().exactOptional(),
      token_endpoint_auth_method: z.string().exactOptional(),
    })
    .nullable(),
});

/** The definition of an authorization flow, with its address and keys. */
interface Subject {
  name: string;
  /** The key of the tokens in the store. */
  key: string;
  url: URL;
  headers: Record<string, string>;
  allowedHosts: readonly string[];
  oauth: McpOAuth;
  keys: SealKeys;
}

/** Reads the definition for the owner of an authorization flow. */
export async function subjectOf(definition: AnyMcpServerDefinition, context: AuthorizationContext): Promise<Subject> {
  const { name, allowedHosts = [] } = definition;
  const oauth = oauthOf(definition);
  if (oauth === null) throw new McpServerError(`The MCP server "${name}" uses no OAuth.`);
  const keys = await sealKeys(name, context.env);
  const url = serverAddress(definition, context);
  const headers = await serverHeaders(definition, context, callTimes(definition).timeoutMs);
  return { name, key: await storeKey(definition, () => url), allowedHosts, oauth, keys, url, headers };
}

/** Begins an authorization flow. */
export async function beginAuthorizationFlow(
  definition: AnyMcpServerDefinition,
  context: AuthorizationContext,
  redirectUri: string,
): Promise<BegunAuthorizationFlow> {
  const subject = await subjectOf(definition, context);
  const { name, oauth, keys } = subject;
  const defined = definedClient(name, oauth, context);
  const server = await discovered(subject, context);
  const client = defined ?? (await registered(subject, context, { server, redirectUri }));
  const id = crypto.randomUUID();
  const browser = urlText(crypto.getRandomValues(new Uint8Array(32)));
  const expires_at = context.clock.now() + flowSeconds * 1_000_000;
  const { owner, threadId } = context;
  const place = { owner, source: name, threadId, id, until: expires_at } satisfies z.input<typeof placeSchema>;
  const state = await seal(keys, JSON.stringify(place), statePlace);
  const scope = oauth.scopes?.join(" ") ?? server.scope;
  const { authorizationUrl, codeVerifier } = await startAuthorization(server.issuer, {
    metadata: sdkMetadata(server),
    clientInformation: client,
    redirectUrl: redirectUri,
    state,
    ...(scope === null ? {} : { scope }),
    ...(server.resource === null ? {} : { resource: new URL(server.resource) }),
  });
  const flow: z.input<typeof flowSchema> = {
    verifier: codeVerifier,
    redirectUri,
    server,
    client: defined === null ? client : null,
  };
  const text = await seal(keys, JSON.stringify(flow), [...sealPlace("flow", owner, subject), id]);
  await context.store.begin({ id, server: subject.key, browser: await sha256Hex(browser), text, expires_at });
  return { url: authorizationUrl.href, cookie: { name: cookieName(id), value: browser, seconds: flowSeconds } };
}

async function discovered(subject: Subject, context: AuthorizationContext): Promise<AuthorizationServer> {
  const { name, url, headers, allowedHosts, oauth } = subject;
  const fetchFn = oauthFetch(context.fetch, allowedHosts);
  const parts = { name, url, headers, allowedHosts, fetchFn, env: context.env, issuer: oauth.issuer };
  try {
    return await discoverServer(parts);
  } catch (thrown) {
    throw oauthError(name, "The search for the authorization server", thrown);
  }
}

/** Registers a client (RFC 7591). */
async function registered(
  { name, allowedHosts, oauth }: Subject,
  { fetch }: AuthorizationContext,
  { server, redirectUri }: { server: AuthorizationServer; redirectUri: string },
): Promise<OAuthClient> {
  if (server.registrationEndpoint === null) {
    throw new McpServerError(
      `The authorization server of the MCP server "${name}" does not register clients. Register one there with the redirect ` +
        `address ${redirectUri}, and set \`oauth.clientId\` of the definition.`,
    );
  }
  const { clientMethods } = server;
  const method = ["none", "client_secret_basic", "client_secret_post"].find((each) => clientMethods.includes(each));
  try {
    // oxlint-disable-next-line typescript/no-deprecated -- servers of the versions that are negotiated register clients
    const client = await registerClient(server.issuer, {
      metadata: sdkMetadata(server),
      clientMetadata: {
        client_name: oauth.clientName ?? defaultClientName,
        redirect_uris: [redirectUri],
        grant_types: ["authorization_code", "refresh_token"],
        response_types: ["code"],
        token_endpoint_auth_method: method ?? "none",
      },
      fetchFn: oauthFetch(fetch, allowedHosts),
    });
    return clientOf(client as OAuthClient);
  } catch (thrown) {
    const refused = thrown instanceof RegistrationRejectedError ? await parseErrorResponse(thrown.body) : thrown;
    throw oauthError(name, "The registration at the authorization server", refused);
  }
}

/** The metadata as the SDK reads it, with the checked addresses. */
function sdkMetadata(server: AuthorizationServer) {
  return {
    issuer: server.issuer,
    authorization_endpoint: server.authorizationEndpoint,
    token_endpoint: server.tokenEndpoint,
    response_types_supported: ["code"],
    code_challenge_methods_supported: ["S256"],
    ...(server.registrationEndpoint === null ? {} : { registration_endpoint: server.registrationEndpoint }),
  };
}

/** The name of the cookie of an authorization flow. Several authorization flows of a browser may be open. */
function cookieName(id: string): string {
  return `threadhold_mcp_${id.slice(0, 8)}`;
}

/** Reads the parameter `state`. Null if it has expired, or if no key of this deployment decrypts it. */
export const readPlace: AuthorizationModule["place"] = async (env, state, now) => {
  if (state.length > parameterLimit) return null;
  const keys = await sealKeys("", env).catch(() => null);
  const text = keys === null ? null : await unseal(keys, state, statePlace);
  if (text === null) return null;
  const { until, ...place } = placeSchema.parse(parseOwnJson(text));
  return until > now ? place : null;
};

/** Ends an authorization flow. Throws an error for the person if the flow ends without an authorization. */
export async function completeAuthorizationFlow(
  definition: AnyMcpServerDefinition,
  context: AuthorizationContext,
  { place, answer }: { place: AuthorizationFlowPlace; answer: AuthorizationResponse },
): Promise<null> {
  const subject = await subjectOf(definition, context);
  const { name, keys } = subject;
  const browser = cookieOf(answer.cookies, cookieName(place.id));
  const sealed = browser === null ? null : await context.store.finish(place.id, await sha256Hex(browser));
  const text =
    sealed === null ? null : await unseal(keys, sealed, [...sealPlace("flow", context.owner, subject), place.id]);
  if (text === null) {
    throw new McpServerError(
      "This address was used already, is too old, or belongs to another browser. Connect again.",
    );
  }
  const flow = flowSchema.parse(parseOwnJson(text));
  const { server } = flow;
  // Without this check, a server could pass a code of another authorization server to this one (RFC 9207, mix-up).
  if (answer.iss === undefined ? server.sendsIssuer : !isSameIssuer(answer.iss, server.issuer)) {
    throw new McpServerError("Another authorization server than the expected one responded. Connect again.");
  }
  if (answer.error !== undefined) {
    const code = knownCode(answer.error);
    throw new McpServerError(
      `The authorization server of "${name}" did not grant the access${code === null ? "" : ` (${code})`}.`,
    );
  }
  if (answer.code === undefined || answer.code.length > parameterLimit) {
    throw new McpServerError(`The authorization server of "${name}" returned no code. Connect again.`);
  }
  const { oauth } = subject;
  const { env, log } = context;
  const client = usedClient(name, { oauth, env, log }, { client: flow.client, issuer: server.issuer });
  if (client === null || !isAllowedIssuer(oauth, server.issuer))
    throw new McpServerError(`The definition of "${name}" has changed. Connect again.`);
  const old = await recordOf(subject, context);
  let tokens;
  try {
    const exchanged = await exchangeAuthorization(server.issuer, {
      ...tokenRequests(server, oauthFetch(context.fetch, subject.allowedHosts)),
      clientInformation: client,
      authorizationCode: answer.code,
      codeVerifier: flow.verifier,
      redirectUri: flow.redirectUri,
      ...(server.resource === null ? {} : { resource: new URL(server.resource) }),
    });
    tokens = readTokens(name, exchanged, context.clock.now());
  } catch (thrown) {
    throw oauthError(name, "The exchange of the code", thrown);
  }
  const record = { server: tokenServer(server), client: flow.client, ...tokens };
  await storeTokens(subject, context, { id: place.id, old, record });
  return null;
}

/**
 * Stores the tokens of the authorization flow `id`, and revokes those that they replace. If the person has disconnected meanwhile, revokes
 * the new tokens, unless that would end the tokens of a later flow, and throws.
 */
async function storeTokens(
  subject: Subject,
  context: AuthorizationContext,
  { id, old, record }: { id: string; old: TokenRecord | null; record: TokenRecord },
): Promise<void> {
  const { key, keys } = subject;
  const { store, owner } = context;
  const text = await seal(keys, writeRecord(record), sealPlace("tokens", owner, subject));
  const row = { revision: crypto.randomUUID(), text };
  const write = () => store.complete(key, id, row);
  let isStored: boolean;
  try {
    // One broken connection must not lose the tokens.
    isStored = await write().catch(write);
  } catch (thrown) {
    await revoke(subject, context, record);
    throw thrown;
  }
  if (!isStored) {
    const other = await recordOf(subject, context);
    if (other === null || isOfOtherClient(record, other)) await revoke(subject, context, record);
    throw new McpServerError(`The connection to "${subject.name}" was removed meanwhile. Connect again.`);
  }
  if (old !== null && isOfOtherClient(old, record)) await revoke(subject, context, old);
}

/** Whether tokens can be revoked without ending those of `other`: two grants of one client are one grant at some servers. */
function isOfOtherClient({ client }: TokenRecord, other: TokenRecord): boolean {
  return client !== null && client.client_id !== other.client?.client_id;
}

/** The stored record of an owner; null if there is none that can be decrypted. */
export async function recordOf(subject: Subject, { owner, store }: AuthorizationContext): Promise<TokenRecord | null> {
  const row = await store.read(subject.key);
  const text = row === null ? null : await unseal(subject.keys, row.text, sealPlace("tokens", owner, subject));
  return readRecord(text);
}

/** The value of a cookie; null if the header does not contain it. */
function cookieOf(header: string, name: string): string | null {
  for (const pair of header.split(";")) {
    const [key = "", ...value] = pair.split("=");
    if (key.trim() === name) return value.join("=").trim();
  }
  return null;
}
