// A turn of a thread, seen by a client: its events, its stored messages, and their order.

import { describe, expect, it } from "vitest";

import { foldAll } from "#contract/fold.ts";

import { scripts } from "../worker/definitions.ts";
import { admin, converse, follow, newThread, stubOf, types, value } from "./thread-driver.ts";

const page = { limit: 100, order: "asc" as const, include_silent: false };

describe("a text turn", () => {
  it("A text turn emits the answer's events in the contract's order and stores the transcript", async () => {
    const id = await newThread("parallel");
    const events = await converse(id, "hello there");
    expect(types(events).filter((type) => type !== "text_delta")).toEqual([
      "run_start",
      "message_start",
      "message_end",
      "step_start",
      "message_start",
      "text_start",
      "text_end",
      "message_end",
      "step_end",
      "turn_end",
      "run_end",
    ]);
    const { items, total } = await value(stubOf(id).call("listMessages", admin, page));
    expect(items.map(({ role, content }) => [role, content])).toEqual([
      ["user", "hello there"],
      ["assistant", "echo: hello there"],
    ]);
    expect(total).toBe(2);
  });

  it("Event numbers rise, none is used twice, and each frame names the number of the one before as prev", async () => {
    const id = await newThread("parallel");
    const events = await converse(id, "count");
    const numbers = events.map((event) => event.seq);
    expect(numbers).toEqual([...numbers].sort((a, b) => a - b));
    expect(new Set(numbers).size).toBe(numbers.length);
    expect(events.slice(1).map((event) => event.prev)).toEqual(numbers.slice(0, -1));
  });

  it("A late reader receives the same transcript as the stored one, by replay and by snapshot", async () => {
    const id = await newThread("parallel", { title: "late" });
    scripts.set("call", ({ step }) =>
      step === 0
        ? { text: "I will note it.", toolCalls: [{ name: "note", arguments: { text: "x" } }] }
        : { thinking: "Hm.", text: "Done." },
    );
    const live = await converse(id, "call it");
    const { items } = await value(stubOf(id).call("listMessages", admin, page));

    const late = await follow(id, { after: "0" });
    await late.until((event) => event.type === "run_end");
    late.close();
    const fresh = await follow(id);
    await fresh.until((event) => event.type === "snapshot");
    fresh.close();

    for (const events of [live, late.events, fresh.events]) {
      const messages = foldAll(events).messages.map((message) => {
        const { streaming: _, ...stored } = message;
        return stored;
      });
      expect(messages).toEqual(items);
    }
    const noDeltas = (type: string) => !type.endsWith("_delta");
    expect(types(late.events).filter(noDeltas)).toEqual(types(live).filter(noDeltas));
  });
});
