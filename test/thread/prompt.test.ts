// The effect of a prompt's settings over the runs of a thread, as its model sees them (Standard Agents, PromptDefinition).

import { describe, expect, it } from "vitest";

import type { TestRequest } from "#spec/index.ts";

import { scripts } from "../worker/definitions.ts";
import { converse, newThread } from "./thread-driver.ts";

/** The last request of a second run, after a first run that called a tool. */
async function secondRun(agent: string, word: string): Promise<TestRequest> {
  const requests: TestRequest[] = [];
  scripts.set(word, (request) => {
    requests.push(request);
    if (request.step > 0) return { text: "noted" };
    return { text: "on it", toolCalls: [{ name: "note", arguments: { text: word } }] };
  });
  const id = await newThread(agent);
  await converse(id, `${word} one`);
  await converse(id, `${word} two`);
  const last = requests.at(-1);
  if (last === undefined) throw new Error("the model was not asked");
  return last;
}

const shape = ({ messages }: TestRequest): string[] =>
  messages.map(({ role, content, tool_calls }) => `${role}: ${content}${tool_calls === undefined ? "" : " +call"}`);

describe("a prompt", () => {
  it("A prompt without `includeChat` is sent only its own run, including the calls of that run", async () => {
    expect(shape(await secondRun("forgetful", "chatless"))).toEqual([
      "user: chatless two",
      "assistant: on it +call",
      "tool: noted chatless",
    ]);
  });

  it("A prompt without `includePastTools` is sent the texts of earlier runs, and none of their calls", async () => {
    expect(shape(await secondRun("no_past_tools", "toolless"))).toEqual([
      "user: toolless one",
      // Two answers with nothing between them are sent as one.
      "assistant: on itnoted",
      "user: toolless two",
      "assistant: on it +call",
      "tool: noted toolless",
    ]);
  });

  it("A prompt with `includeChat` and `includePastTools` is sent all messages of earlier runs, with their calls and results", async () => {
    expect(shape(await secondRun("parallel", "everything"))).toEqual([
      "user: everything one",
      "assistant: on it +call",
      "tool: noted everything",
      "assistant: noted",
      "user: everything two",
      "assistant: on it +call",
      "tool: noted everything",
    ]);
  });

  it("A prompt decides which tools a model is offered, and whether it may make parallel calls", async () => {
    const { toolChoice, parallelToolCalls, tools } = await secondRun("sequential", "choice");
    expect([toolChoice, parallelToolCalls]).toEqual(["auto", false]);
    expect(tools.map(({ name }) => name)).toContain("note");
    expect(await secondRun("parallel", "several")).toMatchObject({ parallelToolCalls: true });
  });
});
