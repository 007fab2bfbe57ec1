// Every provider over real HTTP, answered with recorded bytes of the real one: the request that it receives, the events
// that a subscriber receives, and the log rows of each attempt.

import { describe, expect, it } from "vitest";
import { z } from "zod";

import type { Log } from "#contract/log-entry.ts";

import type { ApiClient } from "../../support/http-client/api-client.ts";
import type { RecordedSubscription } from "../../support/http-client/feed.ts";
import { settledMessages } from "../../support/http-client/transcript.ts";
import type { Order, SeenRequest } from "../support/provider-desk.ts";
import { keyOf } from "../support/provider-variables.ts";
import { type Provider, providers, systemPrompt } from "../support/weather-agents.ts";
import type { SuiteServer } from "./suite-server.ts";

const text = "Hello there, how can I help?";

interface Turn {
  id: string;
  mark: string;
  feed: RecordedSubscription;
  received: SeenRequest[];
  logs: Log[];
}

/** Posts a message to a provider's agent and returns the outcome. */
async function turn(use: () => SuiteServer, provider: Provider, orders: Order[], thread?: string): Promise<Turn> {
  const { api, desk } = use();
  const id = thread ?? (await api.createThread(`weather_${provider}_assistant`)).id;
  const mark = desk.order(orders);
  const feed = await api.sayForEvents(id, `How is the weather? ${mark}`);
  expect(await feed.untilEnd()).toBe("closed");
  const [run] = feed.ofType("run_end");
  const logs = await api.logs(id, `&type=llm_request&run_id=${run?.run_id ?? ""}`);
  return { id, mark, feed, received: desk.received(mark), logs };
}

const attemptSchema = z.object({
  provider: z.string(),
  attempt: z.number(),
  cost: z.number().positive(),
  latency_ms: z.number().positive(),
  time_to_first_token_ms: z.number().nonnegative(),
  usage: z.object({ input: z.number().positive(), output: z.number().positive() }),
  error: z.null(),
});

/** The log rows of answered attempts have all figures. */
function checkAttempts(provider: Provider, logs: readonly Log[]): void {
  for (const { data } of logs) expect(attemptSchema.parse(data).provider).toBe(provider);
}

const general = "threads agents prompts models tools openapi.json".split(" ").map((name) => `/api/${name}`);

/** Everything that the API returns about a thread, as one text. */
async function everythingShown(api: ApiClient, id: string): Promise<string> {
  const logs = await api.logs(id);
  const own = ["", "/messages?include_silent=true", "/runs", "/logs", ...logs.map((log) => `/logs/${log.id}`)];
  const paths = own.map((path) => `/api/threads/${id}${path}`).concat(general);
  const answers = await Promise.all(paths.map((path) => api.call("GET", path)));
  const events = await api.events(id, "after=0&until=idle&include_silent=true");
  await events.untilEnd();
  return JSON.stringify([events.events, ...answers.map((answer) => answer.text)]);
}

export function providerSuite(use: () => SuiteServer): void {
  describe.each(providers)("%s", (provider) => {
    it.concurrent("Text is streamed, and prompt, tools, history and API key are sent to the provider", async () => {
      const first = await turn(use, provider, [{ fixture: "text" }]);
      expect(first.feed.ofType("run_end")).toMatchObject([{ status: "completed" }]);
      expect(first.feed.ofType("text_delta").length).toBeGreaterThan(1);
      expect(first.feed.view().messages.at(-1)).toMatchObject({ role: "assistant", content: text, model: provider });
      checkAttempts(provider, first.logs);
      expect(first.logs).toHaveLength(1);

      const second = await turn(use, provider, [{ fixture: "text" }], first.id);
      const [requested] = second.received;
      const body = JSON.stringify(requested?.body);
      for (const part of [
        systemPrompt,
        "get_weather",
        "get_time",
        "The weather of a city",
        '"city"',
        first.mark,
        text,
      ]) {
        expect(body).toContain(part);
      }
      expect(body.indexOf(first.mark)).toBeLessThan(body.indexOf(second.mark));
      expect(JSON.stringify(requested?.headers)).toContain(keyOf(provider));
      expect(body).not.toContain(keyOf(provider));
    });

    it.concurrent("ANSWER8 The deltas of a long answer are joined to far fewer events of a thread", async () => {
      const times = 600;
      const { feed, logs } = await turn(use, provider, [{ fixture: "text", repeat: { text: "Hello", times } }]);
      const content = String(feed.view().messages.at(-1)?.content);
      expect(content.split("Hello")).toHaveLength(times + 1);
      // Every event of the thread has a number, also if a subscriber receives several of them as one.
      expect(feed.ofType("run_end")[0]?.seq).toBeLessThan(times / 4);
      const { chunks } = z.object({ chunks: z.object({ direct: z.number() }) }).parse(logs[0]?.data);
      expect(chunks.direct).toBeGreaterThan(times / 2);
    });

    it.concurrent("A tool call is run, its result is sent to the model, and the loop continues", async () => {
      const { api } = use();
      const { id, feed, received, logs } = await turn(use, provider, [{ fixture: "tool-call" }, { fixture: "text" }]);
      expect(feed.ofType("tool_execution_end")).toMatchObject([
        { tool_name: "get_weather", is_error: false, result: { status: "success", result: "Sunny in Zürich" } },
      ]);
      expect(received).toHaveLength(2);
      expect(JSON.stringify(received[0]?.body)).not.toContain("Sunny in Zürich");
      expect(JSON.stringify(received[1]?.body)).toContain("Sunny in Zürich");
      const messages = await api.messages(id);
      expect(messages.map(({ role }) => role)).toEqual(["user", "assistant", "tool", "assistant"]);
      expect(settledMessages(feed.view().messages)).toEqual(messages);
      checkAttempts(provider, logs);
      expect(logs.map(({ data }) => data["step"])).toEqual([1, 2]);
    });

    it.concurrent("Parallel calls are all run and answered before the model is asked again", async () => {
      const { api } = use();
      const { id, feed, received } = await turn(use, provider, [{ fixture: "parallel-calls" }, { fixture: "text" }]);
      const results = feed.ofType("tool_execution_end").map(({ tool_name, result }) => [tool_name, result.result]);
      expect(new Map(results as [string, string][])).toEqual(
        new Map([
          ["get_weather", "Sunny in Paris"],
          ["get_time", "Noon in UTC"],
        ]),
      );
      const listed = await api.messages(id);
      expect(listed.map(({ name }) => name)).toEqual([null, null, "get_weather", "get_time", null]);
      const body = JSON.stringify(received[1]?.body);
      expect(body.indexOf("Sunny in Paris")).toBeGreaterThan(0);
      expect(body.indexOf("Noon in UTC")).toBeGreaterThan(body.indexOf("Sunny in Paris"));
      expect(feed.ofType("run_end")).toMatchObject([{ status: "completed" }]);
    });

    it.concurrent("Thinking is shown separately from the answer", async () => {
      const { feed, logs } = await turn(use, provider, [{ fixture: "thinking" }]);
      const answer = feed.view().messages.at(-1);
      expect(answer?.content).toBe("It is 4.");
      const thought = answer?.parts.flatMap((part) => (part.type === "thinking" ? [part.thinking] : [])).join("");
      // The recorded API of OpenAI counts its thinking and does not return it.
      expect(thought).toBe(provider === "openai" ? "" : "Two and two make four.");
      checkAttempts(provider, logs);
    });

    it.concurrent("If a provider's rate limit refuses a request, it is retried after the wait, and each attempt has its own log row", async () => {
      const { feed, received, logs } = await turn(use, provider, [
        { fixture: "rate-limit", headers: { "retry-after": "1" } },
        { fixture: "text" },
      ]);
      expect(feed.ofType("model_retry")).toMatchObject([
        { attempt: 2, delay_ms: 1000, error: { code: "rate_limited", retryable: true } },
      ]);
      expect(feed.ofType("message_retracted")).toEqual([]);
      expect(feed.ofType("run_end")).toMatchObject([{ status: "completed" }]);
      expect(received).toHaveLength(2);
      expect(logs.map(({ data }) => [data["attempt"], data["stop_reason"]])).toEqual([
        [1, null],
        [2, "stop"],
      ]);
      expect(logs[0]?.data).toMatchObject({ provider, error: { kind: "rate_limited", status: 429 } });
      checkAttempts(provider, logs.slice(1));
    });

    it.concurrent("If a provider's stream breaks off, the answer is retracted and requested again", async () => {
      const { api } = use();
      const { id, feed, logs } = await turn(use, provider, [
        { fixture: "cut" },
        { fixture: "text", breakAfter: 700 },
        { fixture: "text" },
      ]);
      expect(feed.ofType("message_retracted").every(({ reason }) => reason === "retry")).toBe(true);
      expect(feed.ofType("message_retracted").length).toBeGreaterThan(0);
      expect(feed.ofType("model_retry").map(({ attempt, error }) => [attempt, error.code])).toEqual([
        [2, "network"],
        [3, "network"],
      ]);
      expect(logs.map(({ data }) => data["attempt"])).toEqual([1, 2, 3]);
      checkAttempts(provider, logs.slice(2));
      const messages = await api.messages(id);
      expect(messages.map(({ content }) => content).slice(1)).toEqual([text]);
      expect(settledMessages(feed.view().messages)).toEqual(messages);
    });

    it.concurrent("A run ends at once if the provider refuses the API key, and an API key in a provider's error is never shown", async () => {
      const { api, server } = use();
      const { id, feed, received, logs } = await turn(use, provider, [
        { fixture: "error-mid-stream", repeatKey: true },
        { fixture: "auth", repeatKey: true },
      ]);
      expect(received).toHaveLength(2);
      expect(feed.ofType("run_end")).toMatchObject([{ status: "error", error: { code: "auth" } }]);
      expect(feed.ofType("run_end")[0]?.error?.message).toContain(`${provider.toUpperCase()}_API_KEY`);
      expect(logs[1]?.data).toMatchObject({ provider, error: { kind: "auth", status: 401, retryable: false } });
      for (const { data } of logs) expect(JSON.stringify(data["error"])).toContain("[redacted] is not it.");
      expect((await api.thread(id)).status).toBe("error");
      const shown = `${await everythingShown(api, id)}${JSON.stringify(feed.events)}${server.output()}`;
      for (const each of providers) expect(shown).not.toContain(keyOf(each));
      // The failure does not end the thread: the next message is answered.
      const again = await turn(use, provider, [{ fixture: "text" }], id);
      expect(again.feed.ofType("run_end")).toMatchObject([{ status: "completed" }]);
      expect((await api.thread(id)).status).toBe("idle");
    });
  });
}
