// A stop: no further request is made, the text so far is stored, and every call has its result.

import { expect, it } from "vitest";

import { Harness, modelNamed } from "./support/harness.ts";
import { turn } from "./support/manual-clock.ts";
import { callBlock, calls, failure, says, textBlock } from "./support/scripted-model.ts";
import { gate, ok, tool } from "./support/tool-box.ts";

const stopped = { status: "stopped", reason: "stopped" };

it("A stop in the middle of an answer stores the text so far, without calls", async () => {
  const spoken = textBlock(0, "half an ans").slice(0, -1);
  const call = callBlock(1, { id: "c0", name: "it", json: "{}" });
  const last = textBlock(2, "and more").slice(0, -1);
  const harness = new Harness({ script: () => [...spoken, ...call, ...last, { type: "hang" }] });
  const ended = harness.finish();
  await turn();
  harness.stop();
  expect(await ended).toEqual(stopped);
  expect(harness.answers).toMatchObject([
    {
      stop_reason: "aborted",
      parts: [
        { type: "text", text: "half an ans" },
        { type: "text", text: "and more" },
      ],
    },
  ]);
  expect(harness.journal.logs).toMatchObject([{ data: { error: { kind: "aborted" }, message_id: null } }]);
  expect([harness.model.requests.length, harness.clock.armed]).toEqual([1, 0]);
});

it("A stop before the first text of an answer stores no message", async () => {
  const harness = new Harness({ script: () => [{ type: "hang" }] });
  const ended = harness.finish();
  await turn();
  harness.stop();
  expect(await ended).toEqual(stopped);
  expect(harness.answers).toEqual([]);
});

it("A run makes no model request if it is stopped before the first one", async () => {
  const harness = new Harness({ script: () => says("never") });
  harness.stop();
  expect(await harness.finish()).toEqual(stopped);
  expect(harness.model.requests).toEqual([]);
});

it("A stop while tools run gives every call a result and makes no further request", async () => {
  const began: string[] = [];
  const deaf = tool("deaf", (_args, { id }) => {
    began.push(id);
    return new Promise(() => {});
  });
  const quick = tool("quick", async () => ok("quick"));
  const script = () => calls("c", ["quick", {}], ["deaf", {}], ["deaf", {}], ["quick", {}]);
  const harness = new Harness({ script, tools: [{ ...deaf, sequential: true }, quick] });
  const ended = harness.finish();
  await turn();
  harness.stop();
  expect(await ended).toEqual(stopped);
  expect(harness.results.map(({ result }) => result)).toEqual([
    ok("quick"),
    ...["", "", ""].map(() => ({ status: "error", error: "The run was stopped before this tool finished." })),
  ]);
  expect([began, harness.model.requests.length, harness.clock.armed]).toEqual([["c1"], 1, 0]);
});

it("A stop aborts the storage of files for tool results, and each call still has a result", async () => {
  let waits = 0;
  const harness = new Harness({
    script: () => calls("c", ["quick", {}], ["quick", {}]),
    tools: [tool("quick", async () => ok("quick"))],
    answers: {
      keepMedia: (parts) => Promise.resolve(parts),
      keep: (answer, { signal }) => {
        waits += 1;
        return new Promise((resolve) => {
          signal?.addEventListener("abort", () => resolve({ ...answer, result: "not kept" }));
        });
      },
    },
  });
  const ended = harness.finish();
  await turn();
  expect(waits).toBe(2);
  harness.stop();
  expect(await ended).toEqual(stopped);
  expect(harness.results.map(({ result }) => result)).toEqual([ok("not kept"), ok("not kept")]);
});

it("A tool's result is ignored if the tool finishes after its run was stopped", async () => {
  const late = gate();
  const slow = tool("slow", async () => {
    await late.promise;
    return ok("too late");
  });
  const harness = new Harness({ script: () => calls("c", ["slow", {}]), tools: [slow] });
  const ended = harness.finish();
  await turn();
  harness.stop();
  await ended;
  const rows = harness.rows();
  late.open();
  await turn();
  expect(harness.rows()).toEqual(rows);
});

it("A stopped run makes no retry and uses no fallback, although the model's stream ends with a failure", async () => {
  const wait = gate();
  const script = () => [...textBlock(0, "ha"), { type: "wait" as const, open: wait.promise }, failure()];
  // The model answers the stop with a failure, as if its connection broke at that moment.
  const harness = new Harness({ script, models: [modelNamed("main"), modelNamed("spare")] });
  const stream = harness.model.stream.bind(harness.model);
  harness.model.stream = (request) => stream(request, new AbortController().signal);
  const ended = harness.finish();
  await turn();
  harness.stop();
  wait.open();
  expect(await ended).toEqual(stopped);
  expect([harness.model.requests.length, harness.clock.slept]).toEqual([1, []]);
  expect(harness.answers).toMatchObject([{ stop_reason: "aborted", parts: [{ text: "ha" }] }]);
});

it("A stop during back-off ends the run without another attempt", async () => {
  const harness = new Harness({ script: () => [failure()] });
  const ended = harness.finish();
  harness.clock.sleep = (_ms, signal) =>
    new Promise((_, reject) => {
      signal.addEventListener("abort", () => reject(signal.reason as Error));
    });
  await turn();
  harness.stop();
  expect(await ended).toEqual(stopped);
  expect([harness.model.requests.length, harness.answers]).toEqual([1, []]);
});

it("A call of `execution.stop` ends the run after the current step", async () => {
  let requested = false;
  const it = tool("it", async () => {
    requested = true;
    return ok("done");
  });
  const harness = new Harness({ script: () => calls("c", ["it", {}]), tools: [it], stopAsked: () => requested });
  expect(await harness.finish()).toMatchObject({ status: "stopped", reason: "stop_called" });
  expect([harness.results[0]?.result, harness.model.requests.length]).toEqual([ok("done"), 1]);
});
