// Slows down attempts to guess credentials. After a few wrong attempts an address must wait, longer each time. Meanwhile right
// credentials are refused too, so that an attacker cannot recognise them by the response. Callers whose credentials were right from
// the address before are exempt, so that an attacker cannot lock them out. The counts are in the memory of one isolate; a count
// starts again after 15 minutes without a wrong attempt.

import type { Caller } from "#core/rpc/thread-rpc.ts";
import { backOffMs } from "#lib/back-off.ts";

import { isLoopbackHost } from "./loopback.ts";

/** Counts attempts by address. All clients whose address is unknown share the address null. */
export interface FailureThrottle {
  /** Milliseconds that the address must wait; null if it need not wait. */
  wait(address: string | null): number | null;
  /** Counts one wrong attempt. */
  fail(address: string | null): void;
  /** Whether credentials of this caller were right from the address before. */
  knows(address: string | null, caller: Caller): boolean;
  /** Records that credentials of this caller were right from the address. */
  remember(address: string | null, caller: Caller): void;
}

const freeFailures = 5;
const firstWaitMs = 1000;
const longestWaitMs = 300_000;
/** The longest wait for clients without a known address. All of them share it, so one attacker delays all of them. */
const longestSharedWaitMs = 8000;
const quietMicros = 900_000_000;
const addressLimit = 10_000;
const callerLimit = 10_000;

/** Creates a throttle. `now` returns microseconds. */
export function createFailureThrottle(now: () => number): FailureThrottle {
  const failures = new Map<string | null, { count: number; at: number }>();
  const known = new Set<string>();
  const keyOf = (address: string | null, { user, admin }: Caller) => JSON.stringify([address, user, admin]);
  return {
    wait(address) {
      const failed = failures.get(address);
      if (failed === undefined || failed.count < freeFailures) return null;
      const longest = address === null ? longestSharedWaitMs : longestWaitMs;
      const wait = backOffMs(failed.count - freeFailures + 1, { first: firstWaitMs, longest });
      const remaining = failed.at + wait * 1000 - now();
      return remaining > 0 ? Math.ceil(remaining / 1000) : null;
    },
    fail(address) {
      const at = now();
      const failed = failures.get(address);
      const count = failed === undefined || at - failed.at > quietMicros ? 1 : failed.count + 1;
      failures.delete(address);
      failures.set(address, { count, at });
      if (failures.size > addressLimit) failures.delete(failures.keys().next().value ?? null);
    },
    knows: (address, caller) => known.has(keyOf(address, caller)),
    remember(address, caller) {
      const key = keyOf(address, caller);
      // The set is ordered by use, so that the caller that was right longest ago is removed first.
      known.delete(key);
      known.add(key);
      if (known.size > callerLimit) known.delete(known.keys().next().value ?? "");
    },
  };
}

/**
 * The client address under which wrong credentials are counted; null if it is unknown. On Cloudflare the header `cf-connecting-ip` contains
 * it, and clients cannot change this header. A local server forwards the header that the client sends, so the header is ignored there. An
 * IPv6 /64 network counts as one address, because one client can use all of it.
 */
export function clientAddress(request: Request, isLocal: boolean): string | null {
  if (isLocal || isLoopbackHost(new URL(request.url).host)) return null;
  const address = request.headers.get("cf-connecting-ip");
  return address?.includes(":") === true ? networkOf(address) : address;
}

/** The first four groups, with the zeros that `::` abbreviates. An IPv4 address in IPv6 form is kept complete. */
function networkOf(address: string): string {
  if (address.includes(".")) return address;
  const [head = "", tail] = address.toLowerCase().split("::");
  const [before, after] = [head, tail ?? ""].map((part) => part.split(":").filter((group) => group !== ""));
  const missing = tail === undefined ? 0 : 8 - (before?.length ?? 0) - (after?.length ?? 0);
  const groups = [...(before ?? []), ...Array<string>(Math.max(0, missing)).fill("0"), ...(after ?? [])];
  return groups
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(":");
}
