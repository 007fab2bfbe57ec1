// Parallel sub-prompts that back off: each continues at its own time and with its own count.

import { beforeEach, expect, it } from "vitest";

import { skip } from "../worker/clock.ts";
import { requested, scriptedAnswers } from "../worker/team.ts";
import { resetAgents, isEnd, messagesOf, whenSuspended, wake } from "./team-driver.ts";
import { admin, follow, message, newThread, stubOf, value } from "./thread-driver.ts";

beforeEach(resetAgents);

it("Several sub-prompts that wait for their retries have separate times and counts of attempts, also after evictions", async () => {
  const busy = (seconds: number) => () => ({
    error: { kind: "rate_limited" as const, message: "slow down", retryAfterMs: seconds * 1000 },
  });
  scriptedAnswers.set("helper", busy(60));
  scriptedAnswers.set("quiet", busy(600));
  scriptedAnswers.set("boss", ({ step }) =>
    step === 0
      ? {
          toolCalls: [
            { name: "helper", arguments: { task: "t" } },
            { name: "quiet", arguments: { topic: "t" } },
          ],
        }
      : { text: "boss done" },
  );
  const id = await newThread("boss");
  const following = await follow(id, { after: "0" });
  await value(stubOf(id).call("postMessage", admin, message("go"), null));
  const times = () => ["helper", "quiet"].map((name) => requested.filter(({ persona }) => persona === name).length);
  const retries = () => following.events.filter(({ type }) => type === "model_retry");
  await following.until(() => retries().length === 2);
  await whenSuspended(id);
  expect(times()).toEqual([1, 1]);
  skip(61_000);
  await wake(id);
  await following.until(({ type }) => type === "subagent_end");
  await whenSuspended(id);
  expect(times()).toEqual([2, 1]);
  skip(600_000);
  await wake(id);
  expect(await following.until(isEnd)).toMatchObject({ status: "completed" });
  expect(times()).toEqual([2, 2]);
  const attempts = (under: string) =>
    following.events.flatMap((event) =>
      event.type === "step_start" && event.parent_id === under ? [event.attempt] : [],
    );
  const calls = (await messagesOf(id)).filter(({ role }) => role === "tool");
  expect(calls.map((call) => attempts(call.id))).toEqual([
    [1, 2],
    [1, 2],
  ]);
});
