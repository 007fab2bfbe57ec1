// Requests that a model refuses as too large: they are compacted and sent once more.

import { beforeEach, describe, expect, it } from "vitest";

import type { TestRequest } from "#spec/index.ts";

import { windowedRequests, windowedScripts } from "../worker/compacted.ts";
import { admin, converse, newThread, stubOf, types, value } from "./thread-driver.ts";
import { clearWindowed, continues, tokensOf, words } from "./windowed-requests.ts";

beforeEach(clearWindowed);

describe("a model that refuses a request as too large", () => {
  const refuse = (most: number) => (request: TestRequest) =>
    tokensOf(request) > most ? { error: { kind: "overflow" as const, message: "too long" } } : { text: "Fits." };

  it("A request that the model refuses as too large is compacted and sent once more in the same step, and later runs send the compacted messages", async () => {
    const id = await newThread("wide");
    for (let turn = 0; turn < 8; turn += 1) await converse(id, words(turn, 200));
    windowedScripts.set("big", refuse(2000));
    const events = await converse(id, "big question");
    expect(events.at(-1)).toMatchObject({ type: "run_end", status: "completed" });
    expect(types(events).filter((type) => /^(step|compaction|model)/.test(type))).toEqual([
      "step_start",
      "compaction_start",
      "compaction_end",
      "step_end",
    ]);
    expect(events.find(({ type }) => type === "compaction_start")).toMatchObject({ reason: "overflow" });
    const logs = await value(stubOf(id).call("listLogs", admin, { limit: 2, order: "desc", type: "llm_request" }));
    expect(logs.items.map(({ data }) => [data["attempt"], data["error"] === null])).toEqual([
      [2, true],
      [1, false],
    ]);
    const [accepted] = windowedRequests.slice(-1);
    await converse(id, "big follow-up");
    const [next] = windowedRequests.slice(-1);
    expect(accepted !== undefined && next !== undefined && continues(accepted, next)).toBe(true);
  });

  it("A run ends with the error overflow if the model also refuses the compacted request as too large", async () => {
    const id = await newThread("wide");
    for (let turn = 0; turn < 4; turn += 1) await converse(id, words(turn, 200));
    windowedRequests.length = 0;
    windowedScripts.set("big", refuse(10));
    const events = await converse(id, "big question");
    expect(events.at(-1)).toMatchObject({ type: "run_end", status: "error", error: { code: "overflow" } });
    expect(windowedRequests).toHaveLength(2);
  });

  it("A prompt with the compaction strategy off is never compacted: the run ends with the error overflow", async () => {
    const id = await newThread("uncompacted");
    for (let turn = 0; turn < 8; turn += 1) await converse(id, words(turn, 600));
    windowedRequests.length = 0;
    windowedScripts.set("big", refuse(1200));
    const events = await converse(id, "big question");
    expect(events.at(-1)).toMatchObject({ type: "run_end", status: "error", error: { code: "overflow" } });
    expect(types(events).filter((type) => type.startsWith("compaction"))).toEqual([]);
    expect(windowedRequests).toHaveLength(1);
  });
});
