// MCP servers whose lists and results have odd elements, and servers that lose their sessions, in threads over real HTTP: an odd element
// loses no other, and a call is repeated only if it did not run.

import { describe, expect, it, onTestFinished, vi } from "vitest";

import { callTools, outcome, setServer } from "./mcp-driver.ts";
import { Files } from "./thread-files-client.ts";

const png = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const schema = { type: "object" };

/** Sets a server with these results by method. */
function setOdd(answers: object, more: Parameters<typeof setServer>[2] = {}) {
  return setServer("everything", `odd?answers=${encodeURIComponent(JSON.stringify(answers))}`, more);
}

/** Collects the log lines with these events until the test ends. */
function logged(...events: string[]): Record<string, unknown>[] {
  const lines: Record<string, unknown>[] = [];
  const collect = (line: string): void => {
    const fields = JSON.parse(line) as Record<string, unknown>;
    if (events.includes(String(fields["event"]))) lines.push(fields);
  };
  const spies = (["log", "warn", "error"] as const).map((method) =>
    vi.spyOn(console, method).mockImplementation(collect),
  );
  onTestFinished(() => spies.forEach((spy) => spy.mockRestore()));
  return lines;
}

/** Calls the tool `give` with results that the server returns as they are. */
async function given(...results: object[]) {
  setOdd({ "tools/list": { tools: [{ name: "give" }] } });
  const calls = results.map((result) => ({ name: "everything__give", arguments: { result } }));
  const called = await callTools("mcp", calls);
  return { ...called, outcomes: called.results.map(outcome) };
}

describe("a list of tools", () => {
  it("A tool that cannot be read loses no other tool, and the log names it with the wrong field", async () => {
    const lines = logged("mcp_tools_omitted");
    setOdd({
      "tools/list": {
        tools: [
          { name: "first", inputSchema: schema },
          { name: 7, inputSchema: schema },
          { inputSchema: schema },
          null,
          "tool",
          { name: "texts", inputSchema: "object" },
          { name: "listed", inputSchema: [1] },
          { name: "never", inputSchema: false },
          { name: "", inputSchema: schema },
          { name: "n".repeat(501), inputSchema: schema },
          { name: "first", inputSchema: schema },
          { name: "last", inputSchema: schema },
        ],
        nextCursor: null,
      },
    });
    const { request } = await callTools("mcp", []);
    expect(request?.tools.map(({ name }) => name)).toEqual(["everything__first", "everything__last"]);
    expect(lines).toMatchObject([{ server: "everything", count: 10 }]);
    expect(lines[0]?.["problems"]).toEqual([
      "tool 2: `name` is no text.",
      "tool 3: `name` is no text.",
      "tool 4: It is no object.",
      "tool 5: It is no object.",
      "texts: `inputSchema` is no object.",
      "listed: `inputSchema` is no object.",
      "never: `inputSchema` is no object.",
      "tool 9: `name` is no text.",
      `${"n".repeat(99)}…: \`name\` has more than 500 characters.`,
      "first: An earlier tool has the same name.",
    ]);
  });

  it("Odd fields of a tool are normalised, and its calls reach the server", async () => {
    const odd = { description: 7, title: ["x"], annotations: "none", icons: 1, _meta: null, execution: [] };
    setOdd({
      "tools/list": {
        tools: [
          {
            name: "count",
            ...odd,
            inputSchema: { type: "object", properties: { raw: true, text: { type: "string" } } },
          },
          { name: "bare" },
          { name: "null", inputSchema: null, outputSchema: null },
          { name: "any", inputSchema: true, outputSchema: 7 },
          { name: "nulls", inputSchema: { type: "object", properties: null, required: null } },
          { name: "untyped", inputSchema: { properties: { a: { items: true }, b: false } } },
        ],
      },
    });
    const { request, results } = await callTools("mcp", [
      { name: "everything__count", arguments: { raw: [1, { any: true }], text: "x" } },
      { name: "everything__count", arguments: { text: 1 } },
    ]);
    const names = ["count", "bare", "null", "any", "nulls", "untyped"];
    expect(request?.tools.map(({ name }) => name)).toEqual(names.map((name) => `everything__${name}`));
    expect(results.map(outcome)).toEqual([
      ["success", "1"],
      ["error", expect.stringContaining("text")],
    ]);
  });

  it("A list of null is empty, and of a list with 20,000 wrong elements the first 1,000 are read", async () => {
    setOdd({ "tools/list": { tools: null } });
    expect((await callTools("mcp", [])).request?.tools).toEqual([]);
    const lines = logged("mcp_tools_omitted");
    setOdd({ "tools/list": { tools: { crowd: 20_000 } } });
    expect((await callTools("mcp", [])).request?.tools).toEqual([]);
    expect(lines).toMatchObject([{ count: 20_000 }]);
    expect(lines[0]?.["problems"]).toHaveLength(20);
  });
});

it.each([
  ["null and true as capabilities", { capabilities: { tools: true, resources: null, logging: [] }, serverInfo: {} }],
  ["no serverInfo and odd instructions", { capabilities: { tools: { listChanged: 7 } }, instructions: 7 }],
  ["an odd serverInfo", { capabilities: { tools: {} }, serverInfo: { name: 1, version: null, icons: "none" } }],
])("The tools of a server can be called although its response to initialize has %s", async (_, more) => {
  setOdd({ initialize: { protocolVersion: "2025-06-18", ...more } });
  const { results } = await callTools("mcp", [{ name: "everything__count", arguments: {} }]);
  expect(results.map(outcome)).toEqual([["success", "1"]]);
});

describe("a result of a call", () => {
  it("The model receives an image without the structured content that repeats it, and programs receive both", async () => {
    const content = [{ type: "image", data: png, mimeType: "image/png" }];
    const { results, outcomes } = await given({ content, structuredContent: { content } });
    expect(outcomes).toEqual([["success", undefined]]);
    const { attachments, details } = results[0]?.result ?? {};
    expect(attachments).toMatchObject([{ mimeType: "image/png" }]);
    expect(details).toEqual({ content });
    expect(results[0]?.content ?? "").not.toContain(png);
  });

  it.each<[string, object, string | RegExp]>([
    ["has no content", { structuredContent: { n: 7 } }, '{"n":7}'],
    ["has null as its content", { content: null, structuredContent: { n: 7 } }, '{"n":7}'],
    [
      "has only a blank text",
      { content: [{ type: "text", text: " \n\u200B" }], structuredContent: { n: 7 } },
      '{"n":7}',
    ],
    [
      "has only a part that cannot be read",
      { content: [{ type: "video", url: "x" }], structuredContent: { n: 7 } },
      /^\{"n":7\}\n\[Left out of the result: a part of the type "video": This type is not supported\.\]$/,
    ],
    ["has a text", { content: [{ type: "text", text: "seven" }], structuredContent: { n: 7 } }, "seven"],
    ["has null as structured content", { content: [], structuredContent: null }, ""],
    ["has a text as its content", { content: "pong" }, "pong"],
    ["has one block as its content", { content: { type: "text", text: "pong" } }, "pong"],
    ["has a number as its content", { content: 7, structuredContent: { n: 7 } }, /^\{"n":7\}\n\[Left out .*no object/],
    ["is empty", {}, ""],
  ])(
    "The model reads the structured content only if nothing else can be read: a result that %s",
    async (_, result, text) => {
      const { outcomes } = await given(result);
      expect(outcomes).toEqual([
        ["success", typeof text === "string" ? text : (expect.stringMatching(text) as string)],
      ]);
    },
  );

  it("A part of a result that cannot be read loses no other part, the model reads which one is left out, and the log names it", async () => {
    const lines = logged("mcp_items_omitted");
    const { results, outcomes, id } = await given({
      content: [
        { type: "text", text: "before" },
        { type: "image", data: "not base64!", mimeType: "image/png" },
        { type: "text" },
        { text: "no type" },
        null,
        { type: "resource", resource: { uri: "a://b" } },
        { type: "resource", resource: null },
        { type: "resource_link", name: "x" },
        { type: "resource_link", uri: "a://c" },
        { type: "image", data: `data:image/png;base64,${png.replace(/=+$/, "")}\n`, mimeType: "image/png" },
        { type: "audio", data: Buffer.from("sound").toString("base64url") },
        { type: "resource", resource: { uri: "a://d/e.txt", text: "inner" }, annotations: 7 },
        { type: "text", text: "after" },
      ],
      isError: null,
    });
    const [[status, text] = []] = outcomes;
    expect(status).toBe("success");
    expect(text).toMatch(
      /^before\n\[resource : a:\/\/c\]\n\[resource a:\/\/d\/e\.txt\]\ninner\nafter\n\[Left out of the result: /,
    );
    for (const problem of [
      'a part of the type "image": `data` is no base64.',
      'a part of the type "text": `text` is no text.',
      "part 4: This type is not supported.",
      "part 5: It is no object.",
      'a part of the type "resource": It has neither `text` nor `blob`.',
      'a part of the type "resource": `resource` is no object.',
      'a part of the type "resource_link": `uri` is no text.',
    ]) {
      expect(text).toContain(problem);
    }
    const files = results[0]?.result?.attachments ?? [];
    expect(files).toMatchObject([{ mimeType: "image/png" }, { mimeType: "application/octet-stream" }]);
    expect(await (await new Files(id).get(files[1]?.path ?? "")).text()).toBe("sound");
    expect(lines).toMatchObject([{ server: "everything", of: "the result of give", count: 7 }]);
  });

  it("An error result with blank texts has an error that can be read", async () => {
    const { outcomes } = await given(
      { content: [{ type: "text", text: " " }], isError: true },
      { content: [{ type: "text", text: "broken" }], isError: true },
    );
    expect(outcomes).toEqual([
      ["error", expect.stringMatching(/\w/)],
      ["error", "broken"],
    ]);
  });

  it("Of a result with 20,000 wrong parts the first 1,000 are read, and the model reads a short line about them", async () => {
    setOdd({
      "tools/list": { tools: [{ name: "crowded" }] },
      "tools/call": { content: { crowd: 20_000 }, structuredContent: { n: 7 } },
    });
    const { results } = await callTools("mcp", [{ name: "everything__crowded", arguments: {} }]);
    const [status, text = ""] = outcome(results[0] as never);
    expect(status).toBe("success");
    expect(text).toMatch(/^\{"n":7\}\n\[Left out of the result: part 1: .*and 19990 more\]$/);
    expect(text.length).toBeLessThan(1000);
  });
});

describe("resources and prompts", () => {
  const both = { resources: true, prompts: true };
  const outcomesOf = async (answers: object, name: string, args: object = {}) => {
    setOdd(answers, both);
    const { results } = await callTools("mcp", [{ name: `everything__${name}`, arguments: args }]);
    return results.map(outcome);
  };

  it("A resource, a template or a prompt that cannot be read loses no other one of its list", async () => {
    const lines = logged("mcp_items_omitted");
    const listed = await outcomesOf(
      {
        "resources/list": {
          resources: [
            { uri: "a://one", name: "One" },
            { name: "nameless" },
            null,
            { uri: "a://two", name: 7, mimeType: null },
          ],
          nextCursor: 7,
        },
        "resources/templates/list": { resourceTemplates: [{ uriTemplate: 1 }, { uriTemplate: "a://{id}" }] },
      },
      "list_resources",
    );
    expect(listed).toEqual([
      [
        "success",
        [
          "a://one | One",
          "a://two",
          "a://{id} | template",
          "[Left out of the list: nameless: `uri` is no text. resource 3: It is no object.]",
          "[Left out of the list: resource template 1: `uriTemplate` is no text.]",
          'More follow after the cursor "7".',
        ].join("\n"),
      ],
    ]);
    expect(lines).toHaveLength(2);
    const prompts = [
      {
        name: "good",
        description: "Does it.",
        arguments: [{ name: "a", required: true }, { name: 1 }, null, { name: "b" }],
      },
      { name: {} },
      { name: "odd", arguments: "none" },
    ];
    expect(await outcomesOf({ "prompts/list": { prompts } }, "list_prompts")).toEqual([
      ["success", "good(a, b?) | Does it.\nodd\n[Left out of the list: prompt 2: `name` is no text.]"],
    ]);
    expect(await outcomesOf({ "prompts/list": { prompts: null } }, "list_prompts")).toEqual([["success", "None."]]);
    expect(await outcomesOf({ "prompts/list": { prompts: "none" } }, "list_prompts")).toEqual([
      ["error", expect.stringContaining("does not match the protocol: `prompts` is no list")],
    ]);
  });

  it("Contents of a resource and messages of a prompt that cannot be read lose no other ones", async () => {
    const contents = [
      { uri: "a://one", text: "one" },
      { uri: "a://two" },
      { uri: "a://three", blob: "!" },
      { text: "four" },
    ];
    const [[, read] = []] = await outcomesOf({ "resources/read": { contents } }, "read_resource", { uri: "a://one" });
    expect(read).toBe(
      "[resource a://one]\none\n[resource ]\nfour\n" +
        "[Left out of the result: a://two: It has neither `text` nor `blob`. a://three: `blob` is no base64.]",
    );
    const messages = [
      { role: "user", content: { type: "text", text: "Hello" } },
      { role: 7, content: [{ type: "odd" }, { type: "text", text: "there" }] },
      null,
      { role: "assistant" },
    ];
    const [[, prompt] = []] = await outcomesOf({ "prompts/get": { messages } }, "get_prompt", { name: "x" });
    expect(prompt).toContain("[user]\nHello\n[user]\nthere\n");
    expect(prompt).toContain('a part of the type "odd"');
    expect(prompt).toContain("message 3: It is no object.");
  });
});
