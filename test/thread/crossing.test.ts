// Objects and tests wait for each other by `crossing()`. The first test shows why: code that waits for a native promise may continue in
// another context.

import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, it } from "vitest";

import { crossing } from "../worker/crossing.ts";
import type { Crossing } from "../worker/crossing.ts";
import { waitFor } from "./team-driver.ts";
import { kill } from "./thread-driver.ts";

/** Promises that a function creates between two waits, so that V8 optimises it during the first waits. */
const created = 2000;

/**
 * One object waits for promises that another one resolves, and uses its storage after each wait. Returns the number of waits until the
 * storage refused, which it does in the context of another object; null if it refused after none of `rounds` waits.
 */
async function waitsUntilRefused(create: () => Crossing<void>, rounds: number): Promise<number | null> {
  const [waiting, resolving] = ["waits", "resolves"].map((name) =>
    env.THREADS.get(env.THREADS.idFromName(`${name} ${crypto.randomUUID()}`)),
  ) as [DurableObjectStub, DurableObjectStub];
  let due: (() => void) | null = null;
  let outcome: { waits: number | null } | null = null;
  const wait = runInDurableObject(waiting, async (_, { storage }) => {
    for (let round = 1; outcome === null; round += 1) {
      for (let count = 0; count < created; count += 1) create();
      const { promise, resolve } = create();
      due = resolve;
      await promise;
      try {
        storage.sql.exec("SELECT 1");
        if (round === rounds) outcome = { waits: null };
      } catch (thrown) {
        if (!String(thrown).includes("different Durable Object")) throw thrown;
        outcome = { waits: round };
      }
    }
    // The runtime cannot end this call from the context of another object.
    await new Promise(() => {});
  }).catch((thrown: unknown) => thrown);
  await runInDurableObject(resolving, () =>
    waitFor(() => {
      due?.();
      due = null;
      return outcome !== null;
    }, 1),
  );
  await kill(waiting);
  expect(String(await wait)).toContain("planned death");
  return (outcome as unknown as { waits: number | null }).waits;
}

it("After V8 has optimised the creation of a native promise, an object that awaits the promise continues in the context of the object that resolves the promise", async () => {
  // oxlint-disable-next-line threadhold/no-escaping-resolve -- This test shows why the rule exists.
  expect(await waitsUntilRefused(() => Promise.withResolvers<void>(), 200)).not.toBeNull();
});

it("An object that awaits a crossing (the tests' replacement for a native promise) keeps its context, also after V8 has optimised the creation of crossings", async () => {
  expect(await waitsUntilRefused(() => crossing(), 200)).toBeNull();
});

it("A crossing (the tests' replacement for a native promise) keeps the first value, and each wait for it receives that value", async () => {
  const { promise, resolve } = crossing<string>();
  const early = Promise.all([
    promise,
    promise.then((text) => `${text}!`),
    Promise.race([promise, new Promise(() => {})]),
  ]);
  resolve("first");
  resolve("second");
  expect(await early).toEqual(["first", "first!", "first"]);
  expect(await promise.finally(() => {})).toBe("first");
});
