// What a deleted thread used stays in the usage reports.

import { env } from "cloudflare:workers";
import { afterEach, expect, it } from "vitest";

import { gate, scripts } from "../worker/definitions.ts";
import { onPlace } from "../worker/places.ts";
import { admin, follow, message, newThread, stubOf, value } from "./thread-driver.ts";

afterEach(() => onPlace(null));

/** The tokens that usage reports show for a thread's runs. */
async function reported(id: string): Promise<number> {
  const row = await env.CATALOG.prepare("SELECT total(total_tokens) AS tokens FROM run_total WHERE thread_id = ?")
    .bind(id)
    .first<{ tokens: number }>();
  return row?.tokens ?? 0;
}

it("USAGE7 The usage of a run is counted if the deletion of its thread ended the run", async () => {
  const id = await newThread("parallel");
  gate("held");
  scripts.set("dear", ({ step }) =>
    step === 0 ? { toolCalls: [{ name: "wait", arguments: { gate: "held" } }] } : { text: "done" },
  );
  const following = await follow(id, { after: "0" });
  await value(stubOf(id).call("postMessage", admin, message("dear me"), null));
  await following.until(({ type }) => type === "tool_execution_start");
  // The run does not reach its own end.
  onPlace(({ thread, name }) => (thread === id && name === "sleep.written" ? new Promise(() => {}) : undefined));
  await value(stubOf(id).call("remove", admin));
  expect(await reported(id)).toBe(23);
});

it("USAGE7 The usage of a run is counted if its thread was deleted before the catalog received its totals", async () => {
  const id = await newThread("parallel");
  onPlace(({ thread, name }) => {
    return thread === id && name === "sleep.flush" ? new Promise(() => {}) : undefined;
  });
  const following = await follow(id, { after: "0" });
  await value(stubOf(id).call("postMessage", admin, message("hello"), null));
  await following.until(({ type }) => type === "run_end");
  onPlace(null);
  await value(stubOf(id).call("remove", admin));
  expect(await reported(id)).toBe(13);
});
