// Standard Agents, hooks: the nine points at which a project's code reads or changes data.

import { defineHook, defineTool } from "@standardagents/spec";
import type { HookFunction, LLMMessage, Message, ThreadState, ToolResult } from "@standardagents/spec";
import { describe, expect, it } from "vitest";

import { answers, calling, start } from "./project.ts";

/** A conversation of two messages whose model is sent everything. */
async function converse(...hooks: HookFunction[]) {
  const { project, thread } = await start({ hooks, prompt: { includeChat: true } });
  await thread.say("one");
  await thread.say("two");
  const sent = project.requests.at(-1)?.messages.map(({ content }) => content);
  return { thread, sent };
}

/** A run that calls a tool once, with this result. */
async function callWith(result: ToolResult, ...hooks: HookFunction[]) {
  const probe = defineTool("Probes", async () => result);
  const { project, thread } = await start({ hooks, tools: { probe }, script: answers(calling("probe")) });
  await thread.say("Hello");
  return { thread, read: project.requests[1]?.messages.at(-1)?.content, stored: await thread.result() };
}

describe("hooks over the history", () => {
  it("SAHOOK1 filter_messages chooses which stored messages are sent, and changes none of them", async () => {
    const last = defineHook("filter_messages", async (_state, messages) => messages.slice(-1));
    const { sent, thread } = await converse(last);
    expect(sent).toEqual(["two"]);
    expect(await thread.contents()).toEqual(["one", "echo: one", "two", "echo: two"]);
    expect((await converse()).sent).toEqual(["one", "echo: one", "two"]);
  });

  it.for([
    ["without includeChat", {}, ["two"]],
    ["with includeChat", { includeChat: true }, ["one", "echo: one", "two"]],
    [
      "with includePastTools too",
      { includeChat: true, includePastTools: true },
      ["one", "", "found", "echo: one", "two"],
    ],
  ] as const)(
    "SAHOOK2 filter_messages receives the stored rows, with calls and results of earlier runs, %s",
    async ([, prompt, sent]) => {
      const received: Message[][] = [];
      const look = defineHook("filter_messages", async (_state, messages) => {
        received.push(messages);
        return messages;
      });
      const probe = defineTool("Probes", async () => ({ status: "success", result: "found" }));
      const { project, thread } = await start({
        hooks: [look],
        tools: { probe },
        prompt,
        script: ({ lastUser, step }) =>
          lastUser === "one" && step === 0 ? calling("probe", { a: 1 }) : { text: `echo: ${lastUser}` },
      });
      await thread.say("one");
      await thread.say("two");
      const stored = await thread.atRest((state) => state.getMessages());
      expect(stored.messages.map(({ role }) => role)).toEqual([
        "user",
        "assistant",
        "tool",
        "assistant",
        "user",
        "assistant",
      ]);
      expect(received.at(-1)).toEqual(stored.messages.slice(0, 5));
      expect(received.at(-1)?.[1]?.tool_calls).toContain('"probe"');
      expect(project.requests.at(-1)?.messages.map(({ content }) => content)).toEqual(sent);
    },
  );

  it("SAHOOK2 removals, additions and changes of filter_messages apply also if the prompt includes no earlier runs", async () => {
    const hook = defineHook("filter_messages", async (_state, messages) => [
      ...messages.map((message) => ({ ...message, content: `${message.content ?? ""}!` })),
      { role: "user", content: `of ${messages.length}` } as Message,
    ]);
    const { project, thread } = await start({ hooks: [hook] });
    await thread.say("one");
    await thread.say("two");
    expect(project.requests.at(-1)?.messages.map(({ content }) => content)).toEqual(["two!", "of 3"]);
  });

  it("SAHOOK3 prefilter_llm_history changes the messages that are sent, in the form that models receive", async () => {
    const shout = defineHook("prefilter_llm_history", async (_state, messages) =>
      messages.map((message) => ({ ...message, content: message.content?.toUpperCase() ?? null })),
    );
    const { sent, thread } = await converse(shout);
    expect(sent).toEqual(["ONE", "ECHO: ONE", "TWO"]);
    expect(await thread.contents()).toContain("one");
  });
});

describe("hooks around messages", () => {
  it("SAHOOK4 before_create_message changes a message before it is stored", async () => {
    const mark = defineHook("before_create_message", async (_state, message) => ({
      ...message,
      content: `${String(message["content"])}!`,
      metadata: { processed: true },
    }));
    const { thread, sent } = await converse(mark);
    expect(await thread.contents()).toEqual(["one!", "echo: one!!", "two!", "echo: two!!"]);
    expect((await thread.messages()).map(({ metadata }) => metadata)).toEqual(Array(4).fill({ processed: true }));
    expect(sent?.at(-1)).toBe("two!");
  });

  it("SAHOOK5 after_create_message receives each message after it is stored, and cannot change the stored message", async () => {
    const received: unknown[] = [];
    const look = defineHook("after_create_message", async (state, message) => {
      received.push([message["id"], (await state.getMessage(String(message["id"])))?.content]);
      message["content"] = "changed";
    });
    const { thread } = await converse(look);
    const stored = await thread.messages();
    expect(received).toEqual(stored.map(({ id, content }) => [id, content]));
    expect(await thread.contents()).not.toContain("changed");
  });

  const edit = async (hook: HookFunction) => {
    const { thread } = await converse(hook);
    const [first] = await thread.messages();
    const id = first?.id ?? "";
    await thread.atRest((state) => state.updateMessage(id, { content: "edited", metadata: { a: 1 } }));
    return { id, message: (await thread.messages())[0] };
  };

  it("SAHOOK6 before_update_message changes an update before it is stored", async () => {
    const received: unknown[] = [];
    const { id, message } = await edit(
      defineHook("before_update_message", async (_state, messageId, updates) => {
        received.push(messageId, updates);
        return { ...updates, content: "hooked" };
      }),
    );
    expect(received).toEqual([id, { content: "edited", metadata: { a: 1 } }]);
    expect(message).toMatchObject({ content: "hooked", metadata: { a: 1 } });
  });

  it("SAHOOK6 updated_at in an update is dropped without a log entry, and a field that an update may not change is dropped with one", async () => {
    const adding = async (more: Record<string, unknown>) => {
      const hook = defineHook("before_update_message", async (_state, _id, updates) => ({ ...updates, ...more }));
      const { thread } = await converse(hook);
      const [first] = await thread.messages();
      await thread.atRest((state) => state.updateMessage(first?.id ?? "", { content: "edited" }));
      expect(await thread.contents()).toContain("edited");
      return (await thread.logs("hook")).map(({ data }) => data["problem"]);
    };
    expect(await adding({ updated_at: 1 })).toEqual([]);
    expect(await adding({ created_at: 1 })).toEqual(["cannot change created_at; the change was dropped"]);
  });

  it("SAHOOK7 after_update_message receives the updated message, and cannot change the stored message", async () => {
    const received: unknown[] = [];
    const { id, message } = await edit(
      defineHook("after_update_message", async (_state, updated) => {
        received.push([updated.id, updated.content]);
        updated.content = "changed";
      }),
    );
    expect(received).toEqual([[id, "edited"]]);
    expect(message?.content).toBe("edited");
  });
});

describe("hooks around tools", () => {
  it("SAHOOK8 before_store_tool_result changes a result before it is stored", async () => {
    const received: unknown[] = [];
    const clean = defineHook("before_store_tool_result", async (_state, toolCall, toolResult) => {
      received.push(toolCall["function"], toolResult["status"]);
      return { ...toolResult, result: "clean" };
    });
    const { read, stored } = await callWith({ status: "success", result: "secret" }, clean);
    expect([read, stored?.result]).toEqual(["clean", "clean"]);
    expect(received).toEqual([{ name: "probe", arguments: "{}" }, "success"]);
  });

  it("SAHOOK9 after_tool_call_success may replace a result, and null keeps it", async () => {
    const replace = defineHook("after_tool_call_success", async () => ({ status: "success", result: "replaced" }));
    const keep = defineHook("after_tool_call_success", async () => null);
    const result = { status: "success", result: "original" } as const;
    expect((await callWith(result, replace)).read).toBe("replaced");
    expect((await callWith(result, keep)).read).toBe("original");
    expect((await callWith({ status: "error", error: "bad" }, replace)).read).toBe("bad");
  });

  it("SAHOOK10 after_tool_call_failure may replace an error, and null keeps it", async () => {
    const recover = defineHook("after_tool_call_failure", async () => ({ status: "success", result: "recovered" }));
    const keep = defineHook("after_tool_call_failure", async () => null);
    const result = { status: "error", error: "bad" } as const;
    expect((await callWith(result, recover)).stored).toMatchObject({ status: "success", result: "recovered" });
    expect((await callWith(result, keep)).read).toBe("bad");
    expect((await callWith({ status: "success", result: "good" }, recover)).read).toBe("good");
  });
});

describe("defineHook", () => {
  it("SAHOOK11 defineHook returns the function, which is called at the hook point of its name and at no other point", async () => {
    const called: string[] = [];
    const filter = async (_state: unknown, messages: Message[]) => {
      called.push("filter");
      return messages;
    };
    const hook = defineHook("filter_messages", filter);
    expect(hook).toBe(filter);
    await converse(hook);
    expect(called).toEqual(["filter", "filter"]);
    const silent = defineHook("after_update_message", async () => void called.push("never"));
    await converse(silent);
    expect(called).toHaveLength(2);
  });

  it("SAHOOK12 A hook receives the thread's state as the first argument, with the execution in a run and with null in an idle thread", async () => {
    const received: unknown[] = [];
    const filter = defineHook("filter_messages", async (state, messages) => {
      received.push([state.threadId, state.execution?.stepCount]);
      return messages;
    });
    const create = defineHook(
      "after_create_message",
      async (state) => void received.push([state.threadId, state.execution]),
    );
    const { thread } = await start({ hooks: [filter] });
    await thread.say("Hello");
    expect(received).toEqual([[thread.id, 0]]);
    received.length = 0;
    const { thread: second } = await start({ hooks: [create] });
    await second.atRest((state) => state.injectMessage({ role: "system", content: "Note" }));
    expect(received).toEqual([[second.id, null]]);
  });
});

describe("the state that hooks get", () => {
  it("SAHOOK12 Hooks of messages, updates and tools receive the thread's state as the first argument", async () => {
    const received = new Map<string, unknown>();
    const note = (hook: string, state: ThreadState) => {
      received.set(hook, [state.threadId, state.execution === null ? "at rest" : "in a run"]);
    };
    const hooks: HookFunction[] = [
      defineHook("filter_messages", async (state, messages) => (note("filter_messages", state), messages)),
      defineHook("prefilter_llm_history", async (state, messages) => (note("prefilter_llm_history", state), messages)),
      defineHook("before_create_message", async (state, message) => (note("before_create_message", state), message)),
      defineHook("after_create_message", async (state) => note("after_create_message", state)),
      defineHook("before_update_message", async (state, _, updates) => (note("before_update_message", state), updates)),
      defineHook("after_update_message", async (state) => note("after_update_message", state)),
      defineHook(
        "before_store_tool_result",
        async (state, _, result) => (note("before_store_tool_result", state), result),
      ),
      defineHook("after_tool_call_success", async (state) => (note("after_tool_call_success", state), null)),
      defineHook("after_tool_call_failure", async (state) => (note("after_tool_call_failure", state), null)),
    ];
    const fail = defineTool("Fails", async () => ({ status: "error", error: "bad" }));
    const fine = defineTool("Succeeds", async () => ({ status: "success" }));
    const script = answers(calling("fail"), calling("fine"));
    const { thread } = await start({ hooks, tools: { fail, fine }, script });
    await thread.say("Hello");
    const updated = ["before_update_message", "after_update_message"];
    const inRun = [thread.id, "in a run"];
    expect(received.size).toBe(hooks.length - updated.length);
    expect([...received.values()]).toEqual(Array(received.size).fill(inRun));
    const [first] = await thread.messages();
    await thread.atRest((state) => state.updateMessage(first?.id ?? "", { content: "edited" }));
    expect(updated.map((hook) => received.get(hook))).toEqual(Array(2).fill([thread.id, "at rest"]));
  });
});

describe("arguments of hooks", () => {
  /** The call and the result that a hook after a tool's call receives. */
  async function given(result: ToolResult) {
    const received: { id: string; type: string; called: object; name: string; json: string; result: object }[] = [];
    const look = (name: "after_tool_call_success" | "after_tool_call_failure") =>
      defineHook(name, async (_state, { id, type, function: called }, toolResult) => {
        received.push({ id, type, called, name: called.name, json: called.arguments, result: { ...toolResult } });
        return null;
      });
    const probe = defineTool("Probes", async () => result);
    const { thread } = await start({
      hooks: [look("after_tool_call_success"), look("after_tool_call_failure")],
      tools: { probe },
      script: answers(calling("probe", { a: 1 })),
    });
    await thread.say("Hello");
    const [first] = received;
    if (first === undefined) throw new Error("No hook was called.");
    return { ...first, thread };
  }

  it("SAHOOK13 HookToolCall.id is the id of the call", async () => {
    const { id, thread } = await given({ status: "success" });
    expect((await thread.messages()).find(({ role }) => role === "tool")?.tool_call_id).toBe(id);
  });

  it("SAHOOK14 HookToolCall.type is always the text `function`", async () => {
    expect((await given({ status: "success" })).type).toBe("function");
  });

  it("SAHOOK26 HookToolCall.function holds the tool's name and arguments, and nothing else", async () => {
    expect((await given({ status: "success" })).called).toEqual({ name: "probe", arguments: '{"a":1}' });
  });

  it("SAHOOK15 HookToolCall.function.name is the name of the tool", async () => {
    expect((await given({ status: "success" })).name).toBe("probe");
  });

  it("SAHOOK16 HookToolCall.function.arguments is the arguments as JSON text", async () => {
    expect((await given({ status: "success" })).json).toBe('{"a":1}');
  });

  it("SAHOOK17 HookToolResult.status shows whether the call succeeded", async () => {
    expect((await given({ status: "success" })).result).toMatchObject({ status: "success" });
    expect((await given({ status: "error" })).result).toMatchObject({ status: "error" });
  });

  it("SAHOOK18 HookToolResult.result is the text of a successful call", async () => {
    expect((await given({ status: "success", result: "fine" })).result).toEqual({ status: "success", result: "fine" });
  });

  it("SAHOOK19 HookToolResult.error is the text of a failed call", async () => {
    expect((await given({ status: "error", error: "bad" })).result).toEqual({ status: "error", error: "bad" });
  });

  it("SAHOOK20 HookToolResult.stack is the stack of a failed call, for debugging", async () => {
    const { result } = await given({ status: "error", error: "bad", stack: "at probe" });
    expect(result).toMatchObject({ stack: "at probe" });
  });

  /** The history that `prefilter_llm_history` receives after a tool was called. */
  async function history(): Promise<LLMMessage[]> {
    const received: LLMMessage[][] = [];
    const look = defineHook("prefilter_llm_history", async (_state, messages) => {
      received.push(messages);
      return messages;
    });
    await callWith({ status: "success", result: "fine" }, look);
    return received[1] ?? [];
  }

  it("SAHOOK21 LLMMessage.role is the role of the message", async () => {
    expect((await history()).map(({ role }) => role)).toEqual(["user", "assistant", "tool"]);
  });

  it("SAHOOK22 LLMMessage.content is the message's text, null if an assistant's message only has calls", async () => {
    expect((await history()).map(({ content }) => content)).toEqual(["Hello", null, "fine"]);
  });

  it("SAHOOK23 LLMMessage.tool_calls are the message's calls, parsed", async () => {
    expect((await history()).map(({ tool_calls }) => tool_calls)).toEqual([
      undefined,
      [{ id: expect.any(String), type: "function", function: { name: "probe", arguments: "{}" } }],
      undefined,
    ]);
  });

  it("SAHOOK24 LLMMessage.tool_call_id is the id of the call to which a tool's result belongs", async () => {
    const [, call, result] = await history();
    expect(call?.tool_calls).toMatchObject([{ id: result?.tool_call_id }]);
  });

  it("SAHOOK25 LLMMessage.name is the name of the tool in a message with a tool's result, and is missing in other messages", async () => {
    expect((await history()).map(({ name }) => name)).toEqual([undefined, undefined, "probe"]);
  });
});
