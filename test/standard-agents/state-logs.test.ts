// Standard Agents, threads: reading the logs of a thread.

import { defineHook, defineTool } from "@standardagents/spec";
import type { GetLogsOptions } from "@standardagents/spec";
import { describe, expect, it } from "vitest";

import { answers, calling, start } from "./project.ts";

/** All logs of a thread with three model requests, the logs that a query returns, and the positions of these among all. */
async function logged(options?: GetLogsOptions) {
  const { project, thread } = await start({ prompt: { tools: [] } });
  for (const words of ["one", "two", "three"]) await thread.say(words);
  const all = await thread.atRest((state) => state.getLogs());
  const found = await thread.atRest((state) => state.getLogs(options));
  return { project, thread, all, found, places: found.map(({ id }) => all.findIndex((log) => log.id === id)) };
}

/** A thread whose first step called two tools, and a function that reads its logs: the type of each, or for a call the tool's name. */
async function calledTwice() {
  const probe = defineTool("Probes", async () => ({ status: "success", result: "found" }));
  const two = {
    toolCalls: [
      { name: "probe", arguments: {} },
      { name: "act", arguments: { key: "none" } },
    ],
  };
  const { project, thread } = await start({ tools: { probe }, script: answers(two) });
  await thread.say("Hello");
  const read = async (options?: GetLogsOptions) =>
    (await thread.atRest((state) => state.getLogs(options))).map(({ type, data }) =>
      type === "tool_call" ? data["name"] : type,
    );
  return { project, thread, read };
}

describe("getLogs", () => {
  it("SALOG1 getLogs returns the log entries of the thread", async () => {
    const { found, thread } = await logged();
    expect(found.map(({ id }) => id)).toEqual((await thread.logs("llm_request")).map(({ id }) => id));
    const { thread: idle } = await start();
    expect(await idle.atRest((state) => state.getLogs())).toEqual([]);
  });

  it("SALOG2 GetLogsOptions.limit is the maximum number of entries", async () => {
    expect((await logged({ limit: 1 })).places).toEqual([0]);
    expect((await logged({ limit: 2 })).places).toEqual([0, 1]);
    expect((await logged({ limit: 0 })).places).toEqual([]);
  });

  it("SALOG3 GetLogsOptions.offset is the number of entries to skip", async () => {
    expect((await logged({ offset: 1 })).places).toEqual([1, 2]);
    expect((await logged({ offset: 2 })).places).toEqual([2]);
  });

  it("SALOG3 GetLogsOptions.offset counts each tool call of a step as an entry", async () => {
    const { read } = await calledTwice();
    expect(await read({ offset: 1 })).toEqual(["probe", "act", "llm_request"]);
    expect(await read({ offset: 2, limit: 1 })).toEqual(["act"]);
    expect(await read({ offset: 1, limit: 1, order: "desc" })).toEqual(["act"]);
  });

  it("SALOG4 GetLogsOptions.order asc returns the oldest entries first", async () => {
    expect((await logged({ order: "asc" })).places).toEqual([0, 1, 2]);
  });

  it("SALOG5 GetLogsOptions.order desc returns the newest entries first", async () => {
    expect((await logged({ order: "desc", limit: 2 })).places).toEqual([2, 1]);
  });

  it("SALOG5 GetLogsOptions.order desc returns a step's calls before the step, in a definition and over HTTP", async () => {
    const { project, thread, read } = await calledTwice();
    expect(await read()).toEqual(["llm_request", "probe", "act", "llm_request"]);
    expect(await read({ order: "desc" })).toEqual(["llm_request", "act", "probe", "llm_request"]);
    expect(await read({ order: "desc", limit: 2 })).toEqual(["llm_request", "act"]);
    const listed = async (query: string) => {
      const answer = await project.fetch(`/api/threads/${thread.id}/logs?${query}`);
      const { logs } = await answer.json<{ logs: { type: string; data: Record<string, unknown> }[] }>();
      return logs.map(({ type, data }) => (type === "tool_call" ? data["name"] : type));
    };
    expect(await listed("order=desc")).toEqual(["llm_request", "act", "probe", "llm_request"]);
    expect(await listed("order=asc")).toEqual(["llm_request", "probe", "act", "llm_request"]);
    expect(await listed("order=desc&type=tool_call")).toEqual(["act", "probe"]);
  });
});

/** A thread with failing hooks before an answer is stored, around a call and after a step. */
async function withFailingHooks() {
  const fail = (name: "before_create_message" | "after_tool_call_success" | "before_store_tool_result") =>
    defineHook(name, async () => {
      throw new Error(`${name} failed`);
    });
  const hooks = [fail("before_create_message"), fail("after_tool_call_success"), fail("before_store_tool_result")];
  const two = { toolCalls: ["one", "two"].map((key) => ({ name: "act", arguments: { key } })) };
  const { project, thread } = await start({ hooks, script: answers(two) });
  await thread.say("Hello");
  await thread.say("Again");
  return { project, thread };
}

describe("getLogs with hooks that fail", () => {
  it.for(["asc", "desc"] as const)(
    "SALOG4, SALOG5 Entries of every type are in the order of time with order %s, in a definition and over pages of HTTP",
    async (order, test) => {
      const { project, thread } = await withFailingHooks();
      const logs = await thread.atRest((state) => state.getLogs({ order, limit: 1000 }));
      const times = logs.map(({ created_at }) => created_at);
      const sorted = times.toSorted((one, other) => (order === "asc" ? one - other : other - one));
      test.expect(new Set(logs.map(({ type }) => type))).toEqual(new Set(["llm_request", "tool_call", "hook"]));
      test.expect(times).toEqual(sorted);
      const listed: string[] = [];
      let cursor: string | null = null;
      do {
        const query: string = cursor === null ? "" : `&cursor=${cursor}`;
        const answer = await project.fetch(`/api/threads/${thread.id}/logs?limit=1&order=${order}${query}`);
        const page = await answer.json<{ logs: { id: string }[]; next_cursor: string | null }>();
        test.expect(page.logs).toHaveLength(1);
        listed.push(...page.logs.map(({ id }) => id));
        cursor = page.next_cursor;
      } while (cursor !== null && listed.length < 100);
      test.expect(listed).toEqual(logs.map(({ id }) => id));
    },
  );
});

describe("a log entry", () => {
  it("SALOG6 Log.id identifies the same entry in later calls", async () => {
    const { project, thread, all } = await logged();
    expect(new Set(all.map(({ id }) => id)).size).toBe(3);
    const answer = await project.fetch(`/api/threads/${thread.id}/logs/${all[1]?.id}`);
    expect(await answer.json()).toMatchObject({ id: all[1]?.id });
  });

  it("SALOG7 Log.type names the kind of the entry", async () => {
    const { thread } = await start();
    await thread.say("Hello");
    await thread.atRest((state) => state.invokeTool("act", { key: "none" }));
    expect((await thread.logs("tool_call")).map(({ data }) => data["name"])).toEqual(["act"]);
    const logs = await thread.atRest((state) => state.getLogs());
    expect(logs.map(({ type }) => type)).toEqual(["llm_request", "tool_call"]);
  });

  it("SALOG8 Log.data holds the details of the entry", async () => {
    const { all } = await logged();
    expect(all[0]?.data).toMatchObject({ model: "main", stop_reason: "stop", error: null });
    const { thread } = await start({ script: () => ({ error: { kind: "api", message: "cannot" } }) });
    await thread.say("Hello");
    const [failed] = await thread.atRest((state) => state.getLogs());
    expect(failed?.data).toMatchObject({ error: { message: "cannot" } });
  });

  it("SALOG9 Log.created_at is in microseconds, and never decreases from one entry to the next", async () => {
    const times = (await logged()).all.map(({ created_at }) => created_at);
    expect(times).toEqual(times.toSorted((left, right) => left - right));
    expect(new Date((times[0] ?? 0) / 1000).getUTCFullYear()).toBeGreaterThan(2024);
  });

  it("SALOG10 Log.parent_id is the entry to which the entry belongs, null if it belongs to none", async () => {
    const { thread } = await start({ script: answers(calling("act", { key: "none" })) });
    await thread.say("Hello");
    const logs = await thread.atRest((state) => state.getLogs());
    expect(logs.map(({ type }) => type)).toEqual(["llm_request", "tool_call", "llm_request"]);
    expect(logs.map(({ parent_id }) => parent_id)).toEqual([null, logs[0]?.id, null]);
    expect(await thread.logs("tool_call")).toMatchObject([{ id: logs[1]?.id, data: logs[1]?.data }]);
  });
});
