// Who may access a thread: its owner and administrators. For everyone else it does not exist.

import { refuse, type ThreadholdError } from "#contract/error.ts";
import type { ThreadRecord } from "#core/record/record.ts";
import type { Caller } from "#core/rpc/thread-rpc.ts";

/** Returns the record of a thread. Throws `thread_not_found` if there is none, or if the caller may not access it. */
export function assertAccess({ admin, user }: Caller, record: Readonly<ThreadRecord> | null): Readonly<ThreadRecord> {
  if (record !== null && (admin || (user !== null && user === record.user_id))) return record;
  throw noThread();
}

/** The refusal of a request for a thread that does not exist. */
export function noThread(): ThreadholdError {
  return refuse("thread_not_found", "There is no such thread.");
}
