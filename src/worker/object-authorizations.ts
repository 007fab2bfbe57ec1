// The authorizations of MCP servers in a deployment: their stores in the objects, and the routes' functions, whose module is loaded by the
// first request for one.

import { ThreadholdError } from "#contract/error.ts";
import { remoteAuthorizations } from "#core/authorization-call.ts";
import type { FeedDirectory } from "#core/feed-rpc.ts";
import type { AuthorizationOwner, AuthorizationStore } from "#core/ports/authorization-port.ts";
import type { OutboundFetch } from "#core/ports/outbound-fetch.ts";
import { peerCaller } from "#core/thread-peer.ts";
import type { ThreadDirectory } from "#core/thread-rpc.ts";
import type { AuthorizationParts } from "#flow/tool-source/source-authorizations.ts";
import type { ServerAuthorizations } from "#http/authorization/server-authorizations.ts";
import { consoleLog } from "#lib/log-port.ts";
import { systemClock } from "#lib/system-clock.ts";
import type { Registry } from "#spec/index.ts";

/** The objects of the deployment. */
export interface AuthorizationObjects {
  threads: ThreadDirectory;
  feeds: FeedDirectory;
}

/** The authorizations of a user, in the user's own object, or of a thread without an owner, in the thread. */
export function authorizationsOf(
  owner: AuthorizationOwner,
  { threads, feeds }: AuthorizationObjects,
): { owner: AuthorizationOwner; store: AuthorizationStore } {
  const store = remoteAuthorizations(async (call) => {
    if ("user" in owner) return feeds(owner.user).authorization(call);
    const result = await threads(owner.thread).call("authorization", peerCaller, call);
    if (!result.ok) throw new ThreadholdError(result.refusal);
    return result.value;
  });
  return { owner, store };
}

/** Creates the functions of the routes. */
export function serverAuthorizations(
  { toolSources }: Registry,
  {
    env,
    fetch,
    ...objects
  }: AuthorizationObjects & { env: Readonly<Record<string, unknown>>; fetch: () => OutboundFetch },
): ServerAuthorizations {
  const load = () => import("#flow/tool-source/source-authorizations.ts");
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
      env,
    }),
    notify: async (threadId, server) => {
      const result = await objects.threads(threadId).call("authorized", peerCaller, server);
      if (!result.ok) throw new ThreadholdError(result.refusal);
    },
  };
  return {
    isAuthorized: async (subject) => (await load()).isAuthorized(parts, subject),
    begin: async (subject, redirectUri) => (await load()).beginVisit(parts, subject, redirectUri),
    remove: async (subject) => (await load()).removeAuthorization(parts, subject),
    end: async (answer) => (await load()).endVisit(parts, answer),
  };
}
