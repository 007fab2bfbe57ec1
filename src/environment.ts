// The Worker's bindings and variables, as wrangler.jsonc and `.dev.vars` give them.

import type { Variables } from "#http/dependencies.ts";

/** What the platform hands to the Worker. Provider keys and addresses come beside these, by the providers' own names. */
export interface Environment extends Variables {
  [name: string]: unknown;
  THREADS: DurableObjectNamespace;
  CATALOG: D1Database;
  VERSION?: WorkerVersionMetadata;
  /** Steps a run may take where nobody sets a limit: a number, or `null` to lift the ceiling. 250 when absent. */
  STEP_CEILING?: string;
  /** Comma list of `host`, `host:port`, `*.suffix` that outbound requests may reach inside; none when absent. */
  ALLOWED_OUTBOUND_HOSTS?: string;
  /** Where names are looked up before an outbound request; Cloudflare's resolver when absent. */
  DNS_OVER_HTTPS_URL?: string;
}

/** Steps a run may take where nobody sets a limit (decision 8). */
export const defaultStepCeiling = 250;

/** The ceiling of a deployment. A value that makes no sense keeps the default. */
export function stepCeiling(value: string | undefined): number | null {
  if (value === "null") return null;
  const steps = Number(value ?? defaultStepCeiling);
  return Number.isInteger(steps) && steps > 0 ? steps : defaultStepCeiling;
}
