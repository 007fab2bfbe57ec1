// A replay of many parts from any number: messages of idle times, of runs and between them, so large that a few fill a part.

import { describe, expect, it } from "vitest";

import type { ThreadEvent } from "#contract/event.ts";

import { crossing } from "../worker/crossing.ts";
import { gate, scripts } from "../worker/definitions.ts";
import { admin, converse, follow, message, newThread, stubOf, value } from "./thread-driver.ts";

const large = "x".repeat(90_000);

function say(id: string, text: string): Promise<unknown> {
  return value(stubOf(id).call("postMessage", admin, message(`${text} ${large}`, { run: false }), null));
}

/** A run during which messages of others are stored: before its answer is stored, and while its tools run. */
async function disturbedRun(id: string, name: string): Promise<void> {
  const hold = gate(name);
  const requested = crossing();
  const answer = crossing();
  let calls = 0;
  scripts.set(name, async () => {
    calls += 1;
    if (calls > 1) {
      requested.resolve();
      await answer.promise;
      return { text: `end of ${name} ${large}` };
    }
    return {
      text: `begin of ${name} ${large}`,
      toolCalls: [
        { name: "wait", arguments: { gate: name } },
        { name: "note", arguments: { text: large } },
      ],
    };
  });
  const done = converse(id, name);
  await hold.reached;
  for (const place of ["first", "second"]) await say(id, `${name} ${place}`);
  hold.open();
  await requested.promise;
  for (const place of ["third", "fourth"]) await say(id, `${name} ${place}`);
  answer.resolve();
  await done;
}

/** An event as all readers receive it. */
function bare(event: ThreadEvent): object {
  return { ...event, prev: undefined };
}

async function replayed(id: string, after: number): Promise<ThreadEvent[]> {
  const following = await follow(id, { after: String(after), until: "idle" });
  await following.closed;
  return following.events;
}

describe("a replay in many parts", () => {
  it("FOLLOW2 A replay in many parts from any number contains all later events: of runs, and of messages that were added during and between runs", async () => {
    const initial = Array.from({ length: 12 }, (_, index) => ({ role: "user", content: `${index} ${large}` }));
    const id = await newThread("parallel", { initial_messages: initial });
    await disturbedRun(id, "one");
    for (const index of [1, 2, 3, 4, 5, 6, 7]) await say(id, `rest ${index}`);
    await converse(id, "between");
    await disturbedRun(id, "two");
    for (const index of [8, 9, 10, 11, 12, 13, 14]) await say(id, `rest ${index}`);
    await converse(id, "last");

    const whole = await replayed(id, 0);
    const messages = whole.filter(({ type }) => type === "message_end");
    expect(messages).toHaveLength(12 + 2 * 9 + 14 + 2 * 2);
    expect(whole.map(({ seq }) => seq)).toEqual(whole.map(({ seq }) => seq).toSorted((left, right) => left - right));
    const offset = Date.now() % 4;
    console.log(`every fourth number, from the one at ${String(offset)}`);
    for (const { seq } of whole.filter((_, index) => index % 4 === offset)) {
      const emitted = await replayed(id, seq);
      expect(emitted.map(bare)).toEqual(whole.filter((event) => event.seq > seq).map(bare));
    }
  }, 60_000);
});
