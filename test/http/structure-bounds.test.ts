// Structures of users whose check would take long, over HTTP: what the run answers, and that other threads are served.

import { expect, it } from "vitest";

import type { Run } from "#contract/run.ts";
import type { Thread } from "#contract/thread.ts";

import { scriptedAnswers } from "../worker/team.ts";
import { anna, ask } from "./support/session-app.ts";

/** A list of which each item is one of 1,800 texts. */
function structureOf(lengthOf: (at: number) => number) {
  const anyOf = Array.from({ length: 1800 }, (_, at) => ({ type: "string", minLength: lengthOf(at) }));
  return { type: "object", properties: { a: { type: "array", items: { anyOf } } } };
}

/** Sends a message with a structure to a new thread whose model gives this answer. Returns the run and the number of answers. */
async function runOf(structure: object, answer: unknown): Promise<{ run: Run; answers: number }> {
  let answers = 0;
  scriptedAnswers.set("weather", () => {
    answers += 1;
    return { text: JSON.stringify(answer) };
  });
  const { id } = await ask<Thread>(anna, "POST", "/api/threads", { agent_id: "forecaster" });
  const body = { content: "Weather?", structure };
  const { run } = await ask<{ run: Run }>(anna, "POST", `/api/threads/${id}/messages?wait=true`, body);
  return { run, answers };
}

it("HTTP41 The answer to a structure with 1,800 alternatives is refused without a second attempt if its check takes too much work, and another thread is served", async () => {
  const hostile = runOf(
    structureOf((at) => 1800 - at),
    { a: Array<string>(4000).fill("x") },
  );
  scriptedAnswers.set("boss", () => ({ text: "served" }));
  const other = await ask<Thread>(anna, "POST", "/api/threads", { agent_id: "boss" });
  const served = ask<{ run: Run }>(anna, "POST", `/api/threads/${other.id}/messages?wait=true`, { content: "Hi" });
  const [{ run, answers }, { run: otherRun }] = await Promise.all([hostile, served]);
  expect(run).toMatchObject({ status: "error", error: { code: "structured_output_invalid" } });
  expect(run.error?.message).toMatch(/cannot be checked\..*500000 comparisons \(1800 alternatives .* a\.\d+\. Use/);
  expect(answers).toBe(1);
  expect(otherRun).toMatchObject({ status: "completed", text: "served" });
});

it("HTTP41 4,000 numbers that match none of 1,800 alternatives are refused with the first ten problems", async () => {
  const numbers = { a: Array.from({ length: 4000 }, (_, at) => at) };
  const { run, answers } = await runOf(
    structureOf((at) => at),
    numbers,
  );
  expect(run).toMatchObject({ status: "error", error: { code: "structured_output_invalid" } });
  expect(run.error?.message).toContain("a.9: matches none of 1800 alternatives: (1) has to be string, found number 9");
  expect(run.error?.message).not.toContain("a.10: ");
  expect(answers).toBe(2);
});
