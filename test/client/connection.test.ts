// The states of a subscription, for any order of signals.

import fc from "fast-check";
import { expect, it } from "vitest";

import { next } from "#client/follow/connection.ts";
import type { Connection, Signal } from "#client/follow/connection.ts";

const seed = Date.now() % 2 ** 31;

const carrier = fc.constantFrom("socket" as const, "sse" as const);
const error = fc.constant(new Error("connection refused"));
const signal: fc.Arbitrary<Signal> = fc.oneof(
  fc.constantFrom<Signal>({ type: "opened" }, { type: "progress" }, { type: "offline" }),
  fc.record({ type: fc.constant("lost" as const), error, delayMs: fc.nat(30_000) }),
  fc.record({ type: fc.constantFrom("due" as const, "online" as const), carrier }),
);
const final: fc.Arbitrary<Signal> = fc.oneof(
  fc.constant<Signal>({ type: "close" }),
  fc.record({ type: fc.constant("refused" as const), error }),
);
const begin: fc.Arbitrary<Connection> = fc.oneof(
  fc.record({ state: fc.constant("connecting" as const), attempt: fc.constant(0), carrier }),
  fc.constant<Connection>({ state: "offline", attempt: 0 }),
);

const attemptOf = (connection: Connection): number => (connection.state === "closed" ? -1 : connection.attempt);

it("A subscription can become live again after any sequence of events, unless it was closed", () => {
  console.info(`seed ${String(seed)}`);
  fc.assert(
    fc.property(begin, fc.array(signal, { maxLength: 30 }), (first, signals) => {
      const last = signals.reduce(next, first);
      expect(last.state).not.toBe("closed");
      const back: Signal[] = [{ type: "due", carrier: "sse" }, { type: "opened" }];
      expect(back.reduce(next, last).state).toBe("live");
    }),
    { seed, numRuns: 500 },
  );
});

it("A closed connection stays closed, and has an error if the server refused it", () => {
  fc.assert(
    fc.property(begin, fc.array(signal), final, fc.array(fc.oneof(signal, final)), (first, before, end, after) => {
      const closed = next(before.reduce(next, first), end);
      expect(closed).toEqual({ state: "closed", error: end.type === "refused" ? end.error : null });
      expect(after.reduce(next, closed)).toBe(closed);
    }),
    { seed, numRuns: 500 },
  );
});

it("The number of connection attempts rises with each lost connection, and only progress resets it", () => {
  fc.assert(
    fc.property(begin, fc.array(signal, { maxLength: 30 }), (first, signals) => {
      let connection = first;
      for (const one of signals) {
        const before = connection;
        connection = next(before, one);
        const counted = attemptOf(connection) - attemptOf(before);
        const working = before.state === "connecting" || before.state === "live";
        if (one.type === "lost" && working) expect(counted).toBe(1);
        else if (one.type === "progress" && before.state === "live") expect(connection).toMatchObject({ attempt: 0 });
        else expect(counted).toBe(0);
        if (connection.state === before.state && attemptOf(before) === attemptOf(connection))
          expect(connection).toBe(before);
      }
    }),
    { seed, numRuns: 500 },
  );
});
