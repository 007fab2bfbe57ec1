// Standard Agents, threads: reading and writing a thread's messages.

import { defineTool } from "@standardagents/spec";
import type { GetMessagesOptions, InjectMessageInput, Message, MessagesResult } from "@standardagents/spec";
import { describe, expect, it } from "vitest";

import { anotherPrompt, answers, calling, start } from "./project.ts";

const words = ["one", "two", "three", "four"];
const initial_messages = words.map((content) => ({ role: "user" as const, content, silent: content === "three" }));

/** The result of a query in a thread of four messages, the third of which is silent. */
async function query(options?: GetMessagesOptions): Promise<MessagesResult & { contents: (string | null)[] }> {
  const { project } = await start();
  const thread = await project.thread("main", { initial_messages });
  const result = await thread.atRest((state) => state.getMessages(options));
  return { ...result, contents: result.messages.map(({ content }) => content) };
}

describe("getMessages", () => {
  it("SAMSG1 getMessages returns the thread's messages, in a run and in an idle thread", async () => {
    expect((await query()).contents).toEqual(["one", "two", "four"]);
    const { thread } = await start();
    expect(await thread.inRun(async (state) => (await state.getMessages()).messages.map(({ role }) => role))).toEqual([
      "user",
      "assistant",
      "tool",
    ]);
  });

  it("SAMSG2 GetMessagesOptions.limit is the maximum number of messages", async () => {
    expect((await query({ limit: 1 })).contents).toEqual(["one"]);
    expect((await query({ limit: 2 })).contents).toEqual(["one", "two"]);
    expect(await query({ limit: 0 })).toMatchObject({ contents: [], total: 3, hasMore: true });
  });

  it("SAMSG3 GetMessagesOptions.offset is the number of messages to skip", async () => {
    expect((await query({ offset: 1 })).contents).toEqual(["two", "four"]);
    expect((await query({ offset: 2, limit: 1 })).contents).toEqual(["four"]);
  });

  it("SAMSG4 GetMessagesOptions.order asc returns the oldest messages first", async () => {
    expect((await query({ order: "asc" })).contents).toEqual(["one", "two", "four"]);
  });

  it("SAMSG5 GetMessagesOptions.order desc returns the newest messages first", async () => {
    expect((await query({ order: "desc", limit: 2 })).contents).toEqual(["four", "two"]);
  });

  it("SAMSG6 GetMessagesOptions.includeSilent also returns messages that are hidden from interfaces", async () => {
    expect((await query({ includeSilent: true })).contents).toEqual(words);
    expect((await query({ includeSilent: false })).contents).not.toContain("three");
  });

  it("SAMSG7 GetMessagesOptions.maxDepth leaves out messages of deeper sub-prompts", async () => {
    const { thread } = await start({
      prompt: { tools: ["inner"] },
      prompts: [anotherPrompt("inner")],
      script: ({ system, step }) =>
        system === "You are a test." && step === 0 ? calling("inner", { task: "inside" }) : { text: "said" },
    });
    await thread.say("Hello");
    const depths = (options: GetMessagesOptions) =>
      thread.atRest(async (state) => (await state.getMessages(options)).messages.map(({ depth }) => depth));
    expect(await depths({ maxDepth: 0 })).toEqual([0, 0, 0, 0]);
    expect(new Set(await depths({ maxDepth: 1 }))).toEqual(new Set([0, 1]));
    expect(await depths({})).toEqual(await depths({ maxDepth: 1 }));
  });

  it("SAMSG8 MessagesResult.messages are the messages of the page", async () => {
    expect((await query({ limit: 2, offset: 1 })).messages.map(({ content }) => content)).toEqual(["two", "four"]);
  });

  it("SAMSG9 MessagesResult.total counts all matching messages, also those outside of the page", async () => {
    expect((await query({ limit: 1 })).total).toBe(3);
    expect((await query({ limit: 1, includeSilent: true })).total).toBe(4);
  });

  it("SAMSG10 MessagesResult.hasMore shows whether messages follow the page", async () => {
    expect((await query({ limit: 2 })).hasMore).toBe(true);
    expect((await query({ limit: 3 })).hasMore).toBe(false);
    expect((await query({ limit: 2, offset: 1 })).hasMore).toBe(false);
  });
});

describe("a message", () => {
  const probe = defineTool("Probes", async () => ({ status: "success", result: "found" }));

  /** The messages of a run with one tool call, as a definition reads them. */
  async function read(): Promise<[Message, Message, Message, Message]> {
    const { thread } = await start({ tools: { probe }, script: answers(calling("probe", { a: 1 })) });
    await thread.say("Hello", { silent: true, metadata: { from: "here" } });
    const { messages } = await thread.atRest((state) => state.getMessages({ includeSilent: true }));
    const [user, call, result, answer] = messages;
    if (!user || !call || !result || !answer) throw new Error(`Only ${messages.length} messages.`);
    return [user, call, result, answer];
  }

  it("SAMSG11 Message.id identifies the same message in later calls", async () => {
    const { thread } = await start();
    await thread.say("Hello");
    const [first, second] = await thread.atRest(async (state) => {
      const { messages } = await state.getMessages();
      return Promise.all(messages.map(async ({ id }) => (await state.getMessage(id))?.content));
    });
    expect([first, second]).toEqual(["Hello", "echo: Hello"]);
  });

  it("SAMSG12 Message.role is the role of the message's author", async () => {
    expect((await read()).map(({ role }) => role)).toEqual(["user", "assistant", "tool", "assistant"]);
    const { thread } = await start();
    const injected = await thread.atRest((state) => state.injectMessage({ role: "system", content: "Note" }));
    expect(injected.role).toBe("system");
  });

  it("SAMSG13 Message.content is the message's text, null if an assistant's message only has calls", async () => {
    expect((await read()).map(({ content }) => content)).toEqual(["Hello", null, "found", "done"]);
  });

  it("SAMSG14 A message's name is the name of the tool in a message with a tool's result, and is missing in other messages", async () => {
    expect((await read()).map(({ name }) => name ?? null)).toEqual([null, null, "probe", null]);
  });

  it("SAMSG15 Message.tool_calls is a JSON list of an assistant's calls", async () => {
    const [user, call] = await read();
    expect(user.tool_calls ?? null).toBeNull();
    expect(JSON.parse(call.tool_calls ?? "")).toEqual([
      { id: expect.any(String), type: "function", function: { name: "probe", arguments: '{"a":1}' } },
    ]);
  });

  it("SAMSG16 Message.tool_call_id is the id of the call to which a tool's result belongs", async () => {
    const [user, call, result] = await read();
    expect(JSON.parse(call.tool_calls ?? "")).toMatchObject([{ id: result.tool_call_id }]);
    expect(user.tool_call_id ?? null).toBeNull();
  });

  it("SAMSG17 Message.created_at is in microseconds, and never decreases from one message to the next", async () => {
    const times = (await read()).map(({ created_at }) => created_at);
    expect(times).toEqual(times.toSorted((left, right) => left - right));
    expect(new Date((times[0] ?? 0) / 1000).getUTCFullYear()).toBeGreaterThan(2024);
  });

  const nested = async () => {
    const { thread } = await start({
      prompt: { tools: ["inner"] },
      prompts: [anotherPrompt("inner")],
      script: ({ system, step }) =>
        system === "You are a test." && step === 0 ? calling("inner", { task: "inside" }) : { text: "said" },
    });
    await thread.say("Hello");
    const { messages } = await thread.atRest((state) => state.getMessages());
    return { messages, result: messages.find(({ role }) => role === "tool") };
  };

  it("SAMSG18 Message.parent_id is the message to which a sub-prompt's message belongs", async () => {
    const { messages, result } = await nested();
    const inside = messages.filter(({ content }) => content === "inside");
    expect(inside.map(({ parent_id }) => parent_id)).toEqual([result?.id]);
    expect((await read()).map(({ parent_id }) => parent_id ?? null)).toEqual([null, null, null, null]);
  });

  it("SAMSG19 Message.depth is 0 in the conversation and one more in each sub-prompt", async () => {
    const { messages } = await nested();
    const depthOf = (content: string) => messages.find((message) => message.content === content)?.depth;
    expect([depthOf("Hello"), depthOf("inside")]).toEqual([0, 1]);
  });

  it("SAMSG20 Message.silent marks messages that interfaces hide", async () => {
    expect((await read()).map(({ silent }) => silent)).toEqual([true, false, false, false]);
  });

  it("SAMSG21 Message.metadata is the metadata that was stored with the message", async () => {
    expect((await read()).map(({ metadata }) => metadata)).toEqual([{ from: "here" }, {}, {}, {}]);
  });
});

describe("getMessage", () => {
  it("SAMSG22 getMessage returns the message with the given id, and null for an unknown id", async () => {
    const { thread } = await start();
    await thread.say("Hello");
    const [stored] = await thread.messages();
    const find = (id: string) => thread.atRest(async (state) => (await state.getMessage(id))?.content ?? null);
    expect(await find(stored?.id ?? "")).toBe("Hello");
    expect(await find("nobody")).toBeNull();
  });
});

describe("injectMessage", () => {
  /** Injects a message into a thread. Returns the result, the stored message, and the next request to the model. */
  async function inject(message: InjectMessageInput) {
    const { project, thread } = await start({ prompt: { includeChat: true } });
    const created = await thread.atRest((state) => state.injectMessage(message));
    const [stored] = await thread.messages();
    await thread.say("Hello");
    const [request] = project.requests;
    return { created, stored, request };
  }

  it("SAMSG23 injectMessage adds a message to the history, returns it, and starts no run", async () => {
    const { thread } = await start();
    const created = await thread.atRest((state) => state.injectMessage({ role: "user", content: "Hello" }));
    expect(await thread.messages()).toMatchObject([{ id: created.id, content: "Hello" }]);
    expect((await thread.describe()).status).toBe("idle");
    await expect(thread.run()).rejects.toThrow("no run");
  });

  it.for([
    { role: "nobody", content: "Hello" },
    { role: "tool", content: "Hello" },
    { role: "extension", content: "Hello" },
    { role: "user", content: { text: "Hello" } },
    { role: "user" },
  ])("SAMSG23 injectMessage refuses a message with an invalid role or without a text: %j", async (wrong) => {
    const { thread } = await start();
    const added = thread.atRest((state) => state.injectMessage(wrong as InjectMessageInput));
    await expect(added).rejects.toThrow("takes a role of user, assistant or system, and text");
    expect(await thread.messages()).toEqual([]);
  });

  it("SAMSG24 An injected message with role user is sent as the user's message", async () => {
    const { stored, request } = await inject({ role: "user", content: "Before" });
    expect(stored?.role).toBe("user");
    expect(request?.messages.map(({ role, content }) => [role, content])).toEqual([
      ["user", "Before"],
      ["user", "Hello"],
    ]);
  });

  it("SAMSG25 An injected message with role assistant is sent as the model's message", async () => {
    const { stored, request } = await inject({ role: "assistant", content: "Before" });
    expect(stored?.role).toBe("assistant");
    expect(request?.messages[0]).toMatchObject({ role: "assistant", content: "Before" });
  });

  it("SAMSG26 An injected message with role system is sent together with the system prompt", async () => {
    const { stored, request } = await inject({ role: "system", content: "Before" });
    expect(stored?.role).toBe("system");
    expect(request?.system).toBe("You are a test.\n\nBefore");
  });

  it("SAMSG27 InjectMessageInput.content is the text of the message", async () => {
    expect((await inject({ role: "user", content: "A" })).stored?.content).toBe("A");
    expect((await inject({ role: "user", content: "B" })).stored?.content).toBe("B");
  });

  it("SAMSG28 InjectMessageInput.silent hides the message from interfaces and not from the model", async () => {
    const { project, thread } = await start({ prompt: { includeChat: true } });
    await thread.atRest((state) => state.injectMessage({ role: "user", content: "Hidden", silent: true }));
    await thread.atRest((state) => state.injectMessage({ role: "user", content: "Shown", silent: false }));
    expect((await thread.messages({ include_silent: false })).map(({ content }) => content)).toEqual(["Shown"]);
    await thread.say("Hello");
    expect(project.requests[0]?.messages.map(({ content }) => content)).toEqual(["Hidden", "Shown", "Hello"]);
  });

  it("SAMSG29 InjectMessageInput.metadata is stored with the message", async () => {
    const { created, stored } = await inject({ role: "user", content: "A", metadata: { a: { b: 1 } } });
    expect([created.metadata, stored?.metadata]).toEqual([{ a: { b: 1 } }, { a: { b: 1 } }]);
  });
});

describe("updateMessage", () => {
  /** Updates a message with metadata `{a: 1}`. Returns the result of the last update, and the stored message. */
  async function update(...updates: object[]) {
    const { thread } = await start();
    await thread.say("Hello", { metadata: { a: 1 } });
    const [first] = await thread.messages();
    let given: Message | null = null;
    for (const one of updates) given = await thread.atRest((state) => state.updateMessage(first?.id ?? "", one));
    return { thread, given, stored: (await thread.messages())[0] };
  }

  it("SAMSG30 updateMessage changes a stored message and returns its new state; an unknown one is refused", async () => {
    const { thread, given, stored } = await update({ content: "Bye" });
    expect(given).toMatchObject({ id: stored?.id, content: "Bye" });
    await expect(thread.atRest((state) => state.updateMessage("nobody", { content: "x" }))).rejects.toThrow(
      /no message/,
    );
  });

  it("SAMSG31 MessageUpdates.content replaces the message's text and nothing else", async () => {
    expect((await update({ content: "Bye" })).stored).toMatchObject({
      content: "Bye",
      metadata: { a: 1 },
      role: "user",
    });
  });

  it("SAMSG32 MessageUpdates.metadata is merged with the stored metadata", async () => {
    expect((await update({ metadata: { b: 2 } }, { metadata: { a: 3 } })).stored).toMatchObject({
      content: "Hello",
      metadata: { a: 3, b: 2 },
    });
  });
});
