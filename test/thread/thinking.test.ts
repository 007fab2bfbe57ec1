// Thinking over the runs of a thread: which of it a model that signed its thinking is sent again (decision 19).

import { expect, it } from "vitest";

import type { TestRequest } from "#spec/index.ts";

import { scripts } from "../worker/definitions.ts";
import { converse, newThread } from "./thread-driver.ts";

/** The signatures in each request of two runs. */
async function signaturesSent(agent: string): Promise<{ sent: string[][]; reasoning: unknown[] }> {
  const requests: TestRequest[] = [];
  scripts.set("think", (request) => {
    requests.push(request);
    const { step } = request;
    const signature = `s${requests.length}`;
    if (step === 0) return { thinking: "Hm.", signature, toolCalls: [{ name: "note", arguments: { text: "x" } }] };
    return { thinking: "So.", signature, text: "Done." };
  });
  const id = await newThread(agent);
  await converse(id, "think once");
  await converse(id, "think twice");
  const sent = requests.map(({ messages }) =>
    messages.flatMap(({ thinking }) => (thinking ?? []).map(({ signature }) => signature)),
  );
  return { sent, reasoning: [...new Set(requests.map(({ reasoning }) => JSON.stringify(reasoning)))] };
}

it("A prompt whose reasoning does not set `include` sends the model only the current run's thinking", async () => {
  expect(await signaturesSent("parallel")).toEqual({ sent: [[], ["s1"], [], ["s3"]], reasoning: ["null"] });
});

it("A prompt whose reasoning sets `include` sends the model the thinking of earlier runs too", async () => {
  expect(await signaturesSent("thoughtful")).toEqual({
    sent: [[], ["s1"], ["s1", "s2"], ["s1", "s2", "s3"]],
    reasoning: ['{"include":true,"effort":"low"}'],
  });
});
