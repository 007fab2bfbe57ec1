// The authorizations that a thread's runs use, such as the tokens for MCP servers. Those of a user are in the user's own object. Those of a
// thread without an owner are in the thread's storage and are deleted with the thread.

import { refuse } from "#contract/error.ts";
import type { EventDraft } from "#contract/event.ts";
import type { Authorizations } from "#core/ports/authorization-port.ts";
import type { ThreadRecord } from "#core/record/record.ts";
import { remoteAuthorizations } from "#core/rpc/authorization-call.ts";
import type { AuthorizationCall } from "#core/rpc/authorization-call.ts";
import type { FeedDirectory, OwnerFeedRpc } from "#core/rpc/feed-rpc.ts";
import type { MeteredStorage } from "#store/meter.ts";

import type { LiveThread } from "./live/live-thread.ts";

/** The authorizations of a thread's owner. */
export interface ThreadAuthorizations extends Authorizations {
  /** Calls the store in the thread's storage. Null for a thread with an owner. */
  callOwn: ((call: AuthorizationCall) => Promise<unknown>) | null;
}

/** Opens the authorizations of a thread. Reads nothing. */
export function threadAuthorizations(
  live: LiveThread,
  { feeds, storage }: { feeds: FeedDirectory<OwnerFeedRpc>; storage: MeteredStorage },
): ThreadAuthorizations {
  const { id, user_id: user } = live.record;
  if (user !== null) {
    return { owner: { user }, store: remoteAuthorizations((call) => feeds(user).authorization(call)), callOwn: null };
  }
  const callOwn = async (call: AuthorizationCall): Promise<unknown> => {
    const { AuthorizationRows } = await import("#core/rpc/authorization-rows.ts");
    // A row that is written after the deletion would stay in the storage.
    if (live.retired) throw refuse("thread_not_found", "The thread was deleted.");
    return new AuthorizationRows(storage.kv, () => live.clock.now()).call(call);
  };
  return { owner: { thread: id }, store: remoteAuthorizations(callOwn), callOwn };
}

/** The authorizations for a run. The thread emits an event for each server to which the run needs access. */
export function runAuthorizations(
  { live, authorizations }: { live: LiveThread; authorizations: ThreadAuthorizations },
  runId: string,
): Authorizations {
  return {
    ...authorizations,
    required: (server) => requireAuthorization(live, runId, server),
    granted: (server) => grantAuthorization(live, server),
  };
}

/** Records that a run needs access to a server. Emits the event once for a server in a run, also if the run was interrupted by a crash. */
function requireAuthorization(live: LiveThread, runId: string, server: string): void {
  const { authorizations: known = [] } = live.record;
  const old = known.find((each) => each.server === server);
  if (live.retired || old?.run_id === runId) return;
  const others = known.filter((each) => each !== old);
  const entry = { server, since: old?.since ?? live.clock.now(), run_id: runId };
  setAuthorizations(live, [...others, entry], [{ type: "authorization_required", run_id: runId, server }]);
}

/** Records that the owner has connected to a server. */
export function grantAuthorization(live: LiveThread, server: string): void {
  const { authorizations: known = [] } = live.record;
  const others = known.filter((each) => each.server !== server);
  if (live.retired || others.length === known.length) return;
  setAuthorizations(live, others, []);
}

function setAuthorizations(
  live: LiveThread,
  authorizations: NonNullable<ThreadRecord["authorizations"]>,
  before: EventDraft[],
): void {
  live.change({ authorizations });
  live.markForCatalog();
  live.emitUpdated(before);
}
