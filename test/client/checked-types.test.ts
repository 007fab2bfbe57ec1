// The client's types: generated from the route table and from a project's names, checked in a project of Workers and in one of a browser.

import { describe, expect, it } from "vitest";

import { typeCheck } from "../spec/typed-project.ts";

const names = `export {};
declare module "threadhold" {
  interface Register {
    agents: "support" | "billing";
    events: { "order.placed": { id: string; euros: number }; done: null };
  }
}
`;

const page = (...lines: string[]): string =>
  [
    'import { ThreadholdClient } from "threadhold/client";',
    "const client = new ThreadholdClient();",
    'const thread = client.thread("x");',
    ...lines,
    "export { client, thread };",
    "",
  ].join("\n");

const good = page(
  'const made: Promise<string> = client.threads.create({ agent_id: "support", tags: ["x"] }).then(({ id }) => id);',
  'const list = client.threads.list({ status: "running", limit: 5 });',
  "for await (const { title } of list) title satisfies string | null;",
  'const run = await thread.send([{ type: "text", text: "Hello" }], { when: "steer", limits: { steps: 5 } });',
  "run.text satisfies string | null;",
  'thread.on("text_delta", ({ delta, offset }) => [delta.length, offset + 1]);',
  'thread.onCustom("order.placed", ({ euros }) => euros.toFixed(2));',
  "client.tools({ look: async (args: { at: string }, { signal }) => [args.at, signal.aborted] });",
  'const record = await thread.files.upload("/a.txt", "Hello");',
  "record.size satisfies number;",
  "for await (const words of thread.send('Hello').text) words.trim();",
  'const { usage, total } = await client.usage({ by: ["day", "model"], from: "2026-11-01" });',
  "usage.map(({ day, runs, cost }) => [day satisfies string | undefined, runs + 1, cost satisfies number | null]);",
  "total.usage.cache_read satisfies number;",
  'const report = await thread.send<{ city: string }>("Weather?", { structure: { type: "object" } });',
  "report.data satisfies { city: string } | undefined;",
  "report.text satisfies string | null;",
  "export { made };",
);

const bad: Record<string, string> = {
  agent: 'void client.threads.create({ agent_id: "suport" });',
  handoff: 'void thread.patch({ agent_id: "biling" });',
  field: 'void client.threads.create({ agent_id: "support", titel: "x" });',
  filter: 'client.threads.list({ status: "runing" });',
  when: 'thread.send("x", { when: "stear" });',
  event: 'thread.on("text_dleta", () => undefined);',
  custom: 'thread.onCustom("order.plaecd", () => undefined);',
  data: 'thread.onCustom("order.placed", (data) => data.dollars);',
  answer: "void thread.get().then((read) => read.nothing);",
  dimension: 'void client.usage({ by: ["days"] });',
  part: 'thread.send([{ type: "picture" }]);',
  structured: 'thread.send<{ city: string }>("x").then(({ data }) => data?.town);',
};

describe("types of the client", () => {
  it("Client code with the correct names of the contract and of a project type-checks, and each misspelt name is an error at its position", async () => {
    const files = Object.fromEntries(Object.entries(bad).map(([name, line]) => [`${name}.ts`, page(line)]));
    const found = await typeCheck({ ".threadhold/names.d.ts": names, "good.ts": good, ...files });
    const places = found.map((line) => /^(\w+)\.ts\(4,/.exec(line)?.[1] ?? line);
    expect(places.toSorted()).toEqual(Object.keys(bad).toSorted());
  });

  it("Without the generated names of a project, client code type-checks with any agent and any custom event", async () => {
    const open = page(
      'void client.threads.create({ agent_id: "whoever" });',
      'thread.onCustom("whatever", (data) => JSON.stringify(data));',
    );
    expect(await typeCheck({ "open.ts": open })).toEqual([]);
  });

  it("The client type-checks in a browser project with the platform's fetch and WebSocket, and in a React project", async () => {
    const browser = page(
      "new ThreadholdClient({ fetch: (url, init) => fetch(url, init), WebSocket });",
      'thread.files.upload("/a.png", new File([], "a.png"));',
    );
    const react = `import { createElement } from "react";
import { ThreadholdClient } from "threadhold/client";
import { ThreadholdProvider, useThread, useThreads, useThreadState } from "threadhold/react";

const client = new ThreadholdClient();

function Title({ id }: { id: string }) {
  const { messages, send, connection } = useThread(id);
  const { threads, error } = useThreads({ tag: "x" });
  const count: number = useThreadState(id, (state) => state.messages.length);
  const say = () => void send("Hello");
  return createElement("button", { onClick: say }, count, messages[0]?.content, threads[0]?.title, error?.message, connection.state);
}

export const app = createElement(ThreadholdProvider, { client }, createElement(Title, { id: "x" }));
`;
    const options = { lib: ["es2024", "dom", "dom.iterable"], types: [] };
    expect(await typeCheck({ "browser.ts": browser, "react.ts": react }, options)).toEqual([]);
  });
});
