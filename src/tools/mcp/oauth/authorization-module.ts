// The authorizations of MCP servers, as the routes for them use them: begin and end a visit, read the state, sign out.

import { selectClientAuthMethod } from "@modelcontextprotocol/sdk/client/auth.js";

import type { AuthorizationModule, AuthorizationResult, VisitContext } from "#core/ports/authorization-port.ts";
import { toBase64 } from "#lib/base64.ts";
import { unseal } from "#lib/sealed-text.ts";
import type { AnyMcpServerDefinition } from "#spec/index.ts";

import { McpServerError } from "../server-error.ts";
import { dropBody, oauthFetch } from "./oauth-fetch.ts";
import { isAllowedIssuer, sealPlace, usedClient } from "./oauth-options.ts";
import { readRecord } from "./token-record.ts";
import type { TokenRecord } from "./token-record.ts";
import { beginVisit, completeVisit, readPlace, subjectOf } from "./visit.ts";

type Subject = Awaited<ReturnType<typeof subjectOf>>;

/** The module. The registry lists the definitions of this kind, and the compiler has checked them. */
export const authorization: AuthorizationModule = {
  begin: (definition, context, redirectUri) =>
    resultOf(() => beginVisit(definition as AnyMcpServerDefinition, context, redirectUri)),
  place: readPlace,
  complete: (definition, context, visit) =>
    resultOf(() => completeVisit(definition as AnyMcpServerDefinition, context, visit)),
  isAuthorized: (definition, context) =>
    resultOf(async () => {
      const subject = await subjectOf(definition as AnyMcpServerDefinition, context);
      const record = await recordOf(subject, context);
      // A run does not use the tokens of another issuer than that of the definition.
      if (record === null || !isAllowedIssuer(subject.oauth, record.server.issuer)) return false;
      const { refresh_token, expires_at } = record;
      return refresh_token !== null || expires_at === null || expires_at > context.clock.now();
    }),
  remove: (definition, context) => resultOf(() => removeAuthorization(definition as AnyMcpServerDefinition, context)),
};

/** Converts the errors of definitions and servers to results with their texts. */
async function resultOf<T>(work: () => Promise<T>): Promise<AuthorizationResult<T>> {
  try {
    return { ok: true, value: await work() };
  } catch (thrown) {
    if (thrown instanceof McpServerError) return { ok: false, problem: thrown.message };
    throw thrown;
  }
}

/** The stored record; null if there is none that can be decrypted. */
async function recordOf(subject: Subject, { owner, store }: VisitContext): Promise<TokenRecord | null> {
  const row = await store.read(subject.name);
  const text = row === null ? null : await unseal(subject.keys, row.text, sealPlace("tokens", owner, subject));
  return readRecord(text);
}

async function removeAuthorization(definition: AnyMcpServerDefinition, context: VisitContext): Promise<boolean> {
  const { store } = context;
  const row = await store.read(definition.name);
  if (row === null) return false;
  const subject = await subjectOf(definition, context).catch(() => null);
  const record = subject === null ? null : await recordOf(subject, context);
  // The tokens are gone here, whatever the server responds.
  await store.replace(definition.name, null, null);
  if (subject !== null && record !== null) await revoke(subject, context, record);
  return true;
}

/** Revokes the tokens (RFC 7009). A server that cannot be reached keeps them until they expire. */
async function revoke(subject: Subject, { fetch, env }: VisitContext, record: TokenRecord): Promise<void> {
  const { name, oauth, allowedHosts } = subject;
  const { server, access_token, refresh_token } = record;
  const client = usedClient(name, { oauth, env }, { client: record.client, issuer: server.issuer });
  if (server.revocationEndpoint === null || client === null) return;
  const send = oauthFetch(fetch, allowedHosts);
  const method = selectClientAuthMethod(client, server.clientMethods);
  for (const [token, hint] of [
    [refresh_token, "refresh_token"],
    [access_token, "access_token"],
  ] as const) {
    if (token === null) continue;
    const headers = new Headers({ "content-type": "application/x-www-form-urlencoded" });
    const body = new URLSearchParams({ token, token_type_hint: hint });
    const { client_id, client_secret = "" } = client;
    if (method === "client_secret_basic") {
      headers.set("authorization", `Basic ${toBase64(new TextEncoder().encode(`${client_id}:${client_secret}`))}`);
    } else body.set("client_id", client_id);
    if (method === "client_secret_post") body.set("client_secret", client_secret);
    try {
      await dropBody(await send(server.revocationEndpoint, { method: "POST", headers, body }));
    } catch {
      return;
    }
  }
}
