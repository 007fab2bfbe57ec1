// The tools of MCP servers and OpenAPI documents in tests of a project: scripted, or off. The demo servers of both do not run.

import { hold, sourceTool, startThread, text, toolCall } from "threadhold/testing";
import { expect, it, vi } from "vitest";

const found = "There are two books about threads.";
const toolNames = (thread: Awaited<ReturnType<typeof startThread>>) =>
  thread.requests.map(({ tools }) => tools.map(({ name }) => name));

it("OFFLINE2 A scripted tool of an MCP server is offered to the model, runs by the function of the script, and no request is sent", async () => {
  const fetched = vi.spyOn(globalThis, "fetch");
  const thread = await startThread("librarian", {
    sources: { library: { search: ({ about }: { about: string }) => `Books about ${about}`, open: true } },
    answers: [toolCall("library__search", { about: "threads" }), text(found)],
  });
  const turn = await thread.send("Find a book about threads.");
  expect(turn).toMatchObject({
    text: found,
    toolCalls: [{ result: { status: "success", result: "Books about threads" } }],
  });
  expect(toolNames(thread)[0]).toEqual(["library__search", "library__open"]);
  expect(fetched).not.toHaveBeenCalled();
  fetched.mockRestore();
});

it("OFFLINE2 A scripted tool returns a JSON value, a result with a status, or the error that its function throws", async () => {
  const call = (name: string) => ({ name: `library__${name}`, arguments: {} });
  const thread = await startThread("librarian", {
    sources: {
      library: {
        list: [{ title: "Threads" }],
        lost: { status: "error", error: "The book is lost." },
        broken: () => {
          throw new RangeError("The shelf is broken.");
        },
        later: () => Promise.resolve("Later"),
      },
    },
    answers: [{ toolCalls: ["list", "lost", "broken", "later"].map(call) }, text("Read.")],
  });
  const { toolCalls } = await thread.send("Read");
  expect(toolCalls.map(({ result }) => result)).toMatchObject([
    { status: "success", result: '[{"title":"Threads"}]' },
    { status: "error", error: "The book is lost." },
    { status: "error", error: expect.stringContaining("The shelf is broken.") as string },
    { status: "success", result: "Later" },
  ]);
});

it("OFFLINE2 A scripted tool with a schema is offered with it, and the arguments of a call are checked by it", async () => {
  const search = sourceTool(
    {
      description: "Searches the shelves",
      parameters: { type: "object", properties: { about: { type: "string" } }, required: ["about"] },
    },
    "Found.",
  );
  const thread = await startThread("librarian", {
    sources: { library: { search } },
    answers: [toolCall("library__search"), toolCall("library__search", { about: "threads" }), text(found)],
  });
  const { toolCalls } = await thread.send("Find");
  expect(thread.requests[0]?.tools).toEqual([{ name: "library__search", description: "Searches the shelves" }]);
  expect(toolCalls.map(({ result }) => result?.status)).toEqual(["error", "success"]);
});

it("OFFLINE2 A scripted tool can need an approval", async () => {
  const thread = await startThread("librarian", {
    sources: { library: { reserve: sourceTool({ needsApproval: true }, "Reserved.") } },
    answers: [toolCall("library__reserve"), text("It is reserved.")],
  });
  expect((await thread.send("Reserve it")).pending).toMatchObject([{ name: "library__reserve", kind: "approval" }]);
  expect((await thread.approve()).toolCalls[0]?.result).toMatchObject({ result: "Reserved." });
});

it("OFFLINE2 A scripted operation of an OpenAPI document in the project has the description and the arguments of the document", async () => {
  const thread = await startThread("storekeeper", {
    sources: { stock: { orderItem: ({ item, count }) => ({ order: 1, item: item ?? null, count: count ?? null }) } },
    answers: [
      toolCall("stock__orderItem", { body: { item: 1 } }),
      toolCall("stock__orderItem", { body: { item: 1, count: 5 } }),
      text("Ordered."),
    ],
  });
  const { toolCalls } = await thread.send("Order");
  expect(thread.requests[0]?.tools).toEqual([
    { name: "stock__orderItem", description: expect.stringContaining("Orders more of an item") as string },
  ]);
  expect(toolCalls.map(({ result }) => result?.status)).toEqual(["error", "success"]);
});

it("OFFLINE1 A source without a script is off: its prompt starts, its tools are not offered, and no request is sent", async () => {
  const fetched = vi.spyOn(globalThis, "fetch");
  for (const agent of ["librarian", "storekeeper"] as const) {
    const thread = await startThread(agent, { answers: [text("Hello.")] });
    expect((await thread.send("Hi")).text).toBe("Hello.");
    expect(toolNames(thread)).toEqual([[]]);
  }
  expect(fetched).not.toHaveBeenCalled();
  fetched.mockRestore();
});

it("OFFLINE1 A scripted call of a tool whose source is off fails the turn with the option to set", async () => {
  const thread = await startThread("librarian", { answers: [toolCall("library__search"), text("I cannot.")] });
  await expect(thread.send("Find")).rejects.toThrow(
    'The script calls "library__search". The source "library" is off in tests. ' +
      "Script its tools: startThread(…, { sources: { library: { search: … } } }).",
  );
});

it("OFFLINE2 An unknown name of a source or of a scripted tool is an error with the closest name", async () => {
  await expect(startThread("librarian", { sources: { libary: {} } })).rejects.toThrow(
    '`sources` has "libary", which is no source. Did you mean "library"? The project has library, stock.',
  );
  await expect(startThread("librarian", { sources: { library: { library__search: "" } } })).rejects.toThrow(
    '`sources.library` has "library__search". Write it without the prefix: "search".',
  );
  await expect(startThread("librarian", { sources: { library: { "a b": "" } } })).rejects.toThrow("has at most 64");
  const called = await startThread("librarian", {
    sources: { library: { search: "Found." } },
    answers: [toolCall("library__serach"), text("No.")],
  });
  await expect(called.send("Find")).rejects.toThrow(
    'The script calls "library__serach", and `sources.library` has no tool "serach". Did you mean "search"? It has search.',
  );
  const documented = await startThread("storekeeper", { sources: { stock: { listItem: [] } }, answers: [text("No.")] });
  await expect(documented.send("List")).rejects.toThrow(
    '`sources.stock` has "listItem", which the definition does not offer. Did you mean "listItems"?',
  );
});

it("OFFLINE2 A failed assertion in a scripted tool fails the turn", async () => {
  const thread = await startThread("librarian", {
    sources: {
      library: {
        search: ({ about }) => {
          expect(about).toBe("threads");
          return "Found.";
        },
      },
    },
    answers: [toolCall("library__search", { about: "looms" }), text("No.")],
  });
  await expect(thread.send("Find")).rejects.toThrow(
    /An assertion failed in the scripted tool "library__search": expected 'looms' to be 'threads'/,
  );
});

it("OFFLINE2 A child thread and a thread after a restart have the sources of the script", async () => {
  const thread = await startThread("librarian", {
    sources: { library: { search: "Found." } },
    answers: [hold(text("")), toolCall("library__search"), text(found)],
  });
  const sent = thread.send("Find");
  await thread.held();
  await thread.restart();
  expect((await sent).toolCalls).toMatchObject([{ result: { result: "Found." } }]);
});

it("OFFLINE4 A turn that takes too long names the scripted tool, the call and the function of the answers that it waits for", async () => {
  let time = new AbortController();
  const timeout = AbortSignal.timeout.bind(AbortSignal);
  const timeouts = vi.spyOn(AbortSignal, "timeout");
  timeouts.mockImplementation((milliseconds) => (milliseconds === 300 ? time.signal : timeout(milliseconds)));
  const never = new Promise<never>(() => undefined);
  const tool = await startThread("librarian", {
    timeoutMs: 300,
    sources: {
      library: {
        search: () => {
          time.abort();
          return never;
        },
      },
    },
    answers: [toolCall("library__search"), text(found)],
    allowUnusedAnswers: true,
  });
  await expect(tool.send("Find")).rejects.toThrow(
    /within 300 ms\. .*the thread waits for the scripted tool "library__search"/,
  );
  await tool.stop();
  time = new AbortController();
  const model = await startThread("librarian", {
    timeoutMs: 301,
    answers: () => {
      time.abort();
      return never;
    },
  });
  timeouts.mockImplementation((milliseconds) => (milliseconds === 301 ? time.signal : timeout(milliseconds)));
  await expect(model.send("Find")).rejects.toThrow(
    /within 301 ms\. .*the thread waits for the function of `answers` for request 1, of the prompt "lend_books"/,
  );
  await model.stop();
  timeouts.mockRestore();
});
