// The authorizations of MCP servers for the routes of a deployment. Loaded by the first request for one.

import { ThreadholdError } from "#contract/error.ts";
import type { OutboundFetch } from "#core/ports/outbound-fetch.ts";
import { peerCaller } from "#core/rpc/thread-peer.ts";
import {
  beginAuthorizationFlow,
  endAuthorizationFlow,
  isAuthorized,
  removeAuthorization,
} from "#flow/tool-source/source-authorizations.ts";
import type { AuthorizationParts } from "#flow/tool-source/source-authorizations.ts";
import type { ServerAuthorizations } from "#http/authorization/server-authorizations.ts";
import { consoleLog } from "#lib/log-port.ts";
import { systemClock } from "#lib/system-clock.ts";
import type { Registry } from "#spec/index.ts";

import { authorizationsOf } from "./object-authorizations.ts";
import type { AuthorizationObjects } from "./object-authorizations.ts";

/** Creates the functions of the routes. */
export function serverAuthorizations(
  { toolSources }: Registry,
  {
    env,
    fetch,
    ...objects
  }: AuthorizationObjects & { env: Readonly<Record<string, unknown>>; fetch: () => OutboundFetch },
): ServerAuthorizations {
  const parts: AuthorizationParts = {
    toolSources,
    env,
    now: () => systemClock.now(),
    log: consoleLog,
    context: (whose) => ({
      ...whose,
      ...authorizationsOf(whose.owner, objects),
      fetch: fetch(),
      clock: systemClock,
      log: consoleLog,
      env,
    }),
    notify: async (threadId, server) => {
      const result = await objects.threads(threadId).call("authorized", peerCaller, server);
      if (!result.ok) throw new ThreadholdError(result.refusal);
    },
  };
  return {
    isAuthorized: (subject) => isAuthorized(parts, subject),
    begin: (subject, redirectUri) => beginAuthorizationFlow(parts, subject, redirectUri),
    remove: (subject) => removeAuthorization(parts, subject),
    end: (answer) => endAuthorizationFlow(parts, answer),
  };
}
