// The number of texts that an MCP server may request in a run that does not stay in memory, over real HTTP: the reference server.

import { runDurableObjectAlarm } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, it } from "vitest";

import { scripts } from "../worker/definitions.ts";
import { answer, approve, shown } from "./answer-client.ts";
import { outcome, setServer } from "./mcp-driver.ts";
import { latch, waitFor, lastRunOf, messagesOf } from "./team-driver.ts";
import { admin, converse, crash, evict, message, newThread, stubOf, value } from "./thread-driver.ts";

const sampled = ["success", expect.stringContaining("echo: Resource")];
const refused = ["error", expect.stringContaining("has reached its number of requests")];
const echoed = ["success", expect.stringContaining("Echo: wait")];

/** Starts a run whose model makes one call in each step: `text` lets the server request a text, `wait` waits for an approval. */
async function start(steps: ("text" | "wait")[], { maxRequests = 1, before = (_step: number) => Promise.resolve() }) {
  const word = `mcp-${crypto.randomUUID()}`;
  const calls = {
    text: { name: "everything__trigger-sampling-request", arguments: { prompt: word, maxTokens: 50 } },
    wait: { name: "everything__echo", arguments: { message: "wait" } },
  };
  setServer("everything", "everything", { sampling: { model: "scripted", maxRequests }, needsApproval: ["echo"] });
  scripts.set(word, async ({ step, tools }) => {
    // A request for a text has no tools.
    if (tools.length > 0) await before(step);
    const call = steps[step];
    return call === undefined ? { text: "done" } : { toolCalls: [calls[call]] };
  });
  const id = await newThread("mcp");
  await value(stubOf(id).call("postMessage", admin, message(word), null));
  return { id, word };
}

/** Evicts the object of a thread that waits with another call than `last`, and approves the call. Returns its id. */
async function resume(id: string, last?: string): Promise<string> {
  const call = await waitFor(async () => {
    const [first] = await shown(id);
    return first !== undefined && first.id !== last && first.id;
  });
  await evict(id);
  await value(answer(id, approve(call)));
  return call;
}

async function outcomesAtEnd(id: string) {
  await waitFor(async () => (await lastRunOf(id)).status === "completed");
  return (await messagesOf(id)).filter(({ role }) => role === "tool").map(outcome);
}

it("The maximum number of texts that a server may request in a run includes the requests before the run waited", async () => {
  const { id } = await start(["text", "wait", "text", "wait", "text"], { maxRequests: 2 });
  await resume(id, await resume(id));
  expect(await outcomesAtEnd(id)).toEqual([sampled, echoed, sampled, echoed, refused]);
});

it("The maximum number of texts that a server may request in a run includes the requests before a crash, and the next run starts at zero", async () => {
  const closed = latch();
  let requests = 0;
  const { id, word } = await start(["text", "text"], {
    before: async (step) => {
      if (step === 1 && (requests += 1) === 1) await closed.passed;
    },
  });
  await waitFor(() => requests === 1);
  await crash(id);
  expect(await runDurableObjectAlarm(env.THREADS.get(env.THREADS.idFromName(id)))).toBe(true);
  expect(await outcomesAtEnd(id)).toEqual([sampled, refused]);
  expect(requests).toBe(2);
  await converse(id, word);
  expect(await outcomesAtEnd(id)).toEqual([sampled, refused, sampled, refused]);
});
