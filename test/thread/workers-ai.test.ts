// A thread whose model the Worker's binding `AI` reaches: no key and no variable, from the message to the stored answer.

import { expect, inject, it } from "vitest";

import { boundExchange } from "../worker/bound.ts";
import { admin, converse, newThread, stubOf, value } from "./thread-driver.ts";

const page = { limit: 100, order: "asc" as const, include_silent: false };

it("A thread with a model of Workers AI calls a tool and answers, with the binding alone", async () => {
  const id = await newThread("bound");
  const events = await converse(id, "hello");
  expect(events.at(-1)).toMatchObject({ type: "run_end", status: "completed", usage: { input: 42, output: 17 } });
  const { items } = await value(stubOf(id).call("listMessages", admin, page));
  expect(items.at(-1)).toMatchObject({ role: "assistant", content: "Hello there7" });
  const sent: { path: string; binding: unknown; body: { messages: { role: string; content: string }[] } }[] = await (
    await fetch(`${inject("modelServer")}/__requests?id=${boundExchange}`)
  ).json();
  expect(sent).toMatchObject([{ path: "/run" }, { path: "/run", binding: { name: "AI" } }]);
  // The result of the tool is sent back to the model.
  expect(sent[1]?.body.messages.map(({ role }) => role)).toEqual(["system", "user", "assistant", "tool"]);
});

it("The log row of a request through a gateway has the id of the gateway's log, whose entries name the thread, the run and the user", async () => {
  const id = await newThread("bound_gateway");
  const events = await converse(id, "hello");
  const [run] = events.filter((event) => event.type === "run_end");
  const logs = { limit: 100, order: "asc" as const, type: "llm_request" as const };
  const { items } = await value(stubOf(id).call("listLogs", admin, logs));
  expect(items.map(({ data }) => data["gateway_log_id"])).toEqual(["01LOGOFGATEWAY"]);
  const sent: { path: string; binding: { options: unknown } }[] = await (
    await fetch(`${inject("modelServer")}/__requests`)
  ).json();
  const own = sent.filter(({ binding }) => JSON.stringify(binding).includes(id));
  const metadata = { thread: id, run: run?.run_id };
  expect(own).toMatchObject([{ path: "/ai-gateway/run", binding: { options: { gateway: { id: "team", metadata } } } }]);
});
