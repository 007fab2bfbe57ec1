// The requests of a run to a server that uses OAuth. The access token is added to requests to the server's origin. A refused request was not
// executed, so it is sent again with another token.

import { extractWWWAuthenticateParams } from "@modelcontextprotocol/client";

import type { OutboundFetch } from "#core/ports/outbound-fetch.ts";
import type { ToolsContext } from "#core/ports/tool-source-port.ts";
import type { AnyMcpServerDefinition } from "#spec/index.ts";

import { outsideText } from "../../outside-text.ts";
import { McpServerError } from "../server-error.ts";
import { dropBody } from "./oauth-fetch.ts";
import { oauthOf, sealKeys, storeKey } from "./oauth-options.ts";
import { ServerTokens } from "./server-tokens.ts";
import type { RunToken } from "./server-tokens.ts";

/** The maximum length of the scope in an error text. */
const scopeLimit = 200;

/** The requests of one run to one server. */
export interface AuthorizedRequests {
  fetch: OutboundFetch;
  /** Resolves if there is a token. Rejects with `AuthorizationRequired` if there is none. */
  ready(): Promise<unknown>;
}

/** Creates the functions of the requests. Rejects if the deployment has no key for tokens, or if the tools are listed without an owner. */
export async function authorizedRequests(
  definition: AnyMcpServerDefinition,
  context: ToolsContext,
  url: URL,
): Promise<AuthorizedRequests> {
  const { name, allowedHosts = [] } = definition;
  const keys = await sealKeys(name, context.env);
  const { authorizations } = context;
  if (authorizations === undefined) {
    throw new McpServerError(
      `The MCP server "${name}" uses OAuth, and you have no user id, so its tools cannot be listed here. Connect in a thread.`,
    );
  }
  const oauth = oauthOf(definition) ?? {};
  const key = await storeKey(definition, () => url);
  const tokens = new ServerTokens({ name, key, url, oauth, allowedHosts, keys, authorizations, context });
  return { fetch: authorizedFetch(context.fetch, { name, url, tokens }), ready: () => tokens.token() };
}

function authorizedFetch(
  fetch: OutboundFetch,
  { name, url: server, tokens }: { name: string; url: URL; tokens: ServerTokens },
): OutboundFetch {
  return async (url, init = {}) => {
    // The token is for this server alone.
    if (new URL(url).origin !== server.origin) return fetch(url, init);
    const send = ({ token }: RunToken) => {
      const headers = new Headers(init.headers);
      headers.set("authorization", `Bearer ${token}`);
      return fetch(url, { ...init, headers });
    };
    const token = await tokens.token();
    const first = await send(token);
    if (first.status === 403) return checkScope(name, first);
    if (first.status !== 401) return first;
    await dropBody(first);
    const next = await tokens.after(token);
    const second = await send(next);
    if (second.status !== 401) return second;
    await dropBody(second);
    throw tokens.refused(next);
  };
}

/** Throws for a response that requires more access than the tokens have. */
async function checkScope(name: string, response: Response): Promise<Response> {
  const { error, scope } = extractWWWAuthenticateParams(response);
  if (error !== "insufficient_scope") return response;
  await dropBody(response);
  const named = scope === undefined ? "" : ` It requires "${outsideText(scope, scopeLimit)}".`;
  throw new McpServerError(
    `The MCP server "${name}" requires more access than was granted.${named} Add it to the definition's \`oauth.scopes\`, and connect again.`,
  );
}
