// Storage of a real Durable Object for a test: a new one each time, for the duration of a callback.

import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";

import { meterStorage, type MeteredStorage } from "#store/meter.ts";

interface BareEnvironment {
  BARE: DurableObjectNamespace;
}

/** Runs work inside a new, empty object. */
export async function withStorage<T>(work: (storage: MeteredStorage) => T | Promise<T>): Promise<T> {
  const { BARE } = env as unknown as BareEnvironment;
  const stub = BARE.get(BARE.newUniqueId());
  return runInDurableObject(stub, (_instance, state) => work(meterStorage(state.storage)));
}
