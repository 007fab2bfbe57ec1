// The options of an agent in the requests that it sends, and the ends of executions that a provider or a hook causes.

import { expect, it } from "vitest";

import { AgentState } from "#facade/uap/agent-state.ts";
import { agent } from "#facade/uap/uap-agent.ts";
import { createProvider } from "#facade/upp/create-provider.ts";

import { call, rejection, tool } from "../support/scripted-llm.ts";
import { scriptedAgent } from "./support/scripted-agent.ts";

const chunk = (choice: object): string =>
  `data: ${JSON.stringify({ id: "c", choices: [{ index: 0, ...choice }] })}\n\n`;
const answer = `${chunk({ delta: { content: "Hi." } })}${chunk({ delta: {}, finish_reason: "stop" })}data: [DONE]\n\n`;

/** A fetch that answers each request, and the requests: their address, their key, a header and a field of the body. */
function recordingFetch(status = 200) {
  const requests: unknown[] = [];
  const fetch = ((input: string, init: RequestInit) => {
    const headers = new Headers(init.headers);
    const { seed } = JSON.parse(init.body as string) as { seed?: number };
    requests.push([new URL(input).host, headers.get("authorization"), headers.get("x-team"), seed]);
    return Promise.resolve(new Response(status === 200 ? answer : "{}", { status }));
  }) as typeof globalThis.fetch;
  return { fetch, requests };
}

const provider = createProvider({
  protocol: "openai",
  apiKey: "key-of-provider",
  baseUrl: "https://provider.example/v1",
});

it("The requests of an agent use its options params and config: the key, the address, the headers and the fetch", async () => {
  const { fetch, requests } = recordingFetch();
  const config = { apiKey: "key-of-agent", baseUrl: "https://agent.example/v1", headers: { "x-team": "a" }, fetch };
  await agent({ model: provider("m"), config, params: { seed: 7 } }).query("Hi.");
  expect(requests).toEqual([["agent.example", "Bearer key-of-agent", "a", 7]]);
});

it("The requests of a sub-agent without a model use the connection settings of its parent", async () => {
  const { fetch, requests } = recordingFetch();
  const config = { apiKey: "key-of-parent", baseUrl: "https://parent.example/v1", fetch };
  const helper = agent({});
  const context = {
    toolCallId: "1",
    signal: new AbortController().signal,
    parentModel: provider("m"),
    parentConfig: config,
  };
  await helper.query("Hi.", { parentContext: context });
  expect(requests).toEqual([["parent.example", "Bearer key-of-parent", null, undefined]]);
});

it("The retry strategy in an agent's config decides how often a failed request of the agent is repeated", async () => {
  const { fetch, requests } = recordingFetch(500);
  const retryStrategy = { onRetry: (_error: Error, attempt: number) => (attempt < 3 ? 0 : null) };
  const error = await rejection(agent({ model: provider("m"), config: { fetch, retryStrategy } }).query("Hi."));
  expect(error).toMatchObject({ code: "PROVIDER_ERROR", statusCode: 500 });
  expect(requests).toHaveLength(3);
});

it("An execution of an agent fails if the provider's content filter blocks the answer", async () => {
  const blocked = scriptedAgent([{ text: "", stopReason: "content_filter" }]);
  expect(await rejection(blocked.generate("Hi.", AgentState.initial()))).toMatchObject({ code: "CONTENT_FILTERED" });
});

it("If the hook onAct rejects, the execution ends with the same error", async () => {
  const strategy = { onAct: () => Promise.reject(new Error("act")) };
  const self = scriptedAgent([{ toolCalls: [call("look")] }, { text: "Done." }], {
    tools: [tool("look", () => "")],
    strategy,
  });
  expect(await rejection(self.query("Hi."))).toMatchObject({ message: "act" });
});

it("If a stop condition rejects, the execution ends with the same error", async () => {
  const strategy = { stopCondition: () => Promise.reject(new Error("no budget known")) };
  expect(await rejection(scriptedAgent([{ text: "Hi." }], { strategy }).query("Hi."))).toMatchObject({
    message: "no budget known",
  });
});
