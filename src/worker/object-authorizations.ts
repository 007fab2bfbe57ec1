// The stores of authorizations of MCP servers, which are in the objects of a deployment.

import { ThreadholdError } from "#contract/error.ts";
import type { AuthorizationOwner, AuthorizationStore } from "#core/ports/authorization-port.ts";
import { remoteAuthorizations } from "#core/rpc/authorization-call.ts";
import type { FeedDirectory } from "#core/rpc/feed-rpc.ts";
import { peerCaller } from "#core/rpc/thread-peer.ts";
import type { ThreadDirectory } from "#core/rpc/thread-rpc.ts";

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
