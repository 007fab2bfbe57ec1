// An import says what its runs used elsewhere. What it says of runs that have still to begin, or never began, counts nowhere.

import { env } from "cloudflare:workers";
import { expect, it } from "vitest";

import { zeroUsage } from "#contract/usage.ts";

import { exported, imported, linesOf, sealed } from "./archive-client.ts";
import type { Line } from "./archive-client.ts";
import { all, first, fortune, waits } from "./forged-lines.ts";
import { admin, converse, newThread, stubOf, value } from "./thread-driver.ts";

const page = { limit: 1000, order: "asc" as const, include_silent: true };

it("IMPORT7 takes no word of a run that waits, or never began, for what it used", async () => {
  const made = await newThread("filer", { user_id: "ada" });
  await converse(made, "once");
  await converse(made, "more");
  const id = crypto.randomUUID();
  const known = linesOf((await exported(made)).replaceAll(made, id));
  const said = { usage: fortune, cost: 123_456, model: "test", run_id: first(known, "run")["id"], depth: 3 };
  const waiting = waits(known, said);
  const never = { started_at: null, created_at: 9e15, spent: { test: { usage: fortune, cost: 1e9 } } };
  Object.assign(first(known, "run"), never);
  // Runs that this deployment's catalog never heard of.
  const text = all(known, "run").reduce((forged, { run }) => {
    const runId = String(run.id);
    return forged.replaceAll(runId, `${runId.slice(0, -12)}abcdef${runId.slice(-6)}`);
  }, JSON.stringify(known));
  const lines = JSON.parse(text) as Line[];
  const { status } = await imported(id, await sealed(lines), { user: "ada", admin: false });
  expect(status).toBe(201);
  const { items } = await value(stubOf(id).listRuns(admin, { limit: 50, order: "desc" }));
  expect(items[0]).toMatchObject({ status: "queued", steps: 0, usage: zeroUsage, cost: 0 });
  // The queue goes on with the next input.
  await converse(id, "here");
  await value(stubOf(id).relist(admin));
  const sum = env.CATALOG.prepare("SELECT sum(cost) AS cost FROM run_total WHERE thread_id = ?1").bind(id);
  expect(await sum.first("cost")).toBeLessThan(1);
  const { items: messages } = await value(stubOf(id).listMessages(admin, page));
  const input = messages.find((message) => message.id === waiting["queued"]["message"]["id"]);
  expect(input).toMatchObject({ role: "user", depth: 0, usage: null, cost: null, model: null });
});
