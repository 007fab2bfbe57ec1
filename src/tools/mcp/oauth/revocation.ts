// Revokes tokens at their authorization server (RFC 7009): after a person has disconnected, and for tokens that are not stored any more.

import { selectClientAuthMethod } from "@modelcontextprotocol/client";

import type { OutboundFetch } from "#core/ports/outbound-fetch.ts";
import { toBase64 } from "#lib/base64.ts";
import type { Log } from "#lib/log-port.ts";
import type { McpOAuth } from "#spec/index.ts";

import { dropBody, oauthFetch } from "./oauth-fetch.ts";
import { usedClient } from "./oauth-options.ts";
import type { TokenRecord } from "./token-record.ts";

/** The definition of the tokens. */
interface RevokedSubject {
  name: string;
  oauth: McpOAuth;
  allowedHosts: readonly string[];
}

/** Revokes the tokens. A server that cannot be reached keeps them until they expire. */
export async function revoke(
  { name, oauth, allowedHosts }: RevokedSubject,
  { fetch, env, log }: { fetch: OutboundFetch; env: Readonly<Record<string, unknown>>; log: Log },
  record: TokenRecord,
): Promise<void> {
  const { server, access_token, refresh_token } = record;
  const client = usedClient(name, { oauth, env, log }, { client: record.client, issuer: server.issuer });
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
