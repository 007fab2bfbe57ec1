// Checks of an input before it is admitted. Each refuses an input that may not be admitted.

import { refuse } from "#contract/error.ts";
import type { PostMessage } from "#contract/message-route.ts";
import type { Limits } from "#contract/run.ts";
import { excess } from "#core/limits/allowed.ts";
import type { StoredPart } from "#core/record.ts";
import type { Caller } from "#core/thread-rpc.ts";

import type { ObjectContext } from "../object-context.ts";
import type { Driver } from "./driver.ts";

/** The most UTF-8 bytes of a message (architecture §6). Its files are references when it is checked. */
const messageLimit = 1024 * 1024;

/** Refuses a message whose row would be too large. */
export function checkSize(parts: readonly StoredPart[]): void {
  const bytes = new TextEncoder().encode(JSON.stringify(parts)).byteLength;
  if (bytes <= messageLimit) return;
  throw refuse("too_large", `The message has ${bytes} bytes; at most ${messageLimit} are taken.`, {
    field: "content",
    limit: messageLimit,
  });
}

/** Refuses to steer or interrupt with a message that starts no run. */
export function checkWhen({ when, run }: PostMessage): void {
  if (run || when === "queue" || when === "reject") return;
  throw refuse("invalid_request", `when: "${when}" is for a message that is to be answered: leave out run: false.`, {
    fields: [{ path: "when", message: "needs run: true" }],
  });
}

/** Refuses a message with `when: "reject"` while a run is active. */
export function checkIdle({ live }: ObjectContext, when: PostMessage["when"]): void {
  const { active_run_id, status, pending = [] } = live.record;
  if (when !== "reject" || active_run_id === null) return;
  const open = pending.map(({ id, kind }) => `"${id}" (${kind})`).join(", ");
  const message =
    status === "awaiting_tool_execution"
      ? `Calls are open: ${open}. Answer them first, or stop the thread.`
      : 'A run is active. Wait for it, stop it, or send with when: "queue".';
  throw refuse("conflict", message, { run_id: active_run_id });
}

/** Refuses limits above the deployment's, except for an administrator. */
export function checkLimits({ settings }: ObjectContext, caller: Caller, limits: Limits | undefined): void {
  const beyond = caller.admin ? null : excess(limits, settings.limits.run);
  if (beyond === null) return;
  const { name, limit } = beyond;
  throw refuse("forbidden", `At most ${limit} ${unitOf[name]} a run are allowed here; more needs an admin's token.`, {
    field: `limits.${name}`,
    limit,
  });
}

const unitOf = { steps: "steps", turns: "turns", tokens: "tokens", duration_ms: "milliseconds", cost: "USD" };

/** Refuses the request if the thread was deleted during an await. */
export function assertNotDeleted(driver: Driver): void {
  if (driver.gone) throw refuse("thread_not_found", "There is no such thread.");
}
