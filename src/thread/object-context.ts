// What the parts of a thread's object share: the loaded thread and the world around it.

import type { Clock } from "#core/ports/clock.ts";
import type { Faults } from "#core/ports/faults.ts";
import type { ModelPort } from "#core/ports/model-port.ts";
import type { OutboundFetch } from "#core/ports/outbound-fetch.ts";
import type { Definitions } from "#flow/definitions.ts";
import type { HookEntry, RouteEntry } from "#spec/index.ts";
import type { Catalog } from "#store/catalog/catalog.ts";
import type { MeteredStorage } from "#store/meter.ts";

import type { Alarm } from "./alarm.ts";
import type { LiveThread } from "./live-thread.ts";

/** What a deployment decides; the same for every thread of it. */
export interface Settings {
  /** Steps a run may take where nobody sets a limit; null lifts the ceiling (decision 8). */
  stepCeiling: number | null;
  /** Version of the deployment, written on every run. */
  version: string | null;
}

/** Shared by the parts of one object. */
export interface ObjectContext {
  live: LiveThread;
  storage: MeteredStorage;
  definitions: Definitions;
  hooks: readonly HookEntry[];
  routes: readonly RouteEntry[];
  models: ModelPort;
  /** For addresses that somebody else chose. */
  outbound: OutboundFetch;
  catalog: Catalog;
  clock: Clock;
  faults: Faults;
  alarm: Alarm;
  settings: Settings;
  /** Keeps the object's promise of work in the background. */
  background: (work: Promise<unknown>) => void;
}
