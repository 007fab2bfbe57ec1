// The export of traces of the test Worker: off, until a test sets the variables of OpenTelemetry.

import { traceSettings } from "#lib/trace-settings.ts";
import type { Deployment } from "#thread/deployment.ts";

/** The variables for threads that are loaded from now on. */
export const tracing: { variables: Record<string, string> } = { variables: {} };

/** The export for a thread that is loaded now. */
export function traced(): Deployment["traces"] {
  const settings = traceSettings(tracing.variables, (name) => {
    throw new Error(`${name} is invalid`);
  });
  return settings === null ? null : { settings, fetch: (...call) => fetch(...call) };
}
