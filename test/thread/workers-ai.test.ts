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
