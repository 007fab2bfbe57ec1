// A thread and its child threads, exported as sessions of loops and read by the decoder of `threadhold/loop/sessions`.

import { exports } from "cloudflare:workers";
import { beforeEach, describe, expect, it } from "vitest";

import { addUsage, zeroUsage } from "#contract/usage.ts";
import type { Caller } from "#core/rpc/thread-rpc.ts";
import { callerHeader, exportPath } from "#core/rpc/thread-rpc.ts";
import type { Session } from "#facade/phi/session/index.ts";
import { memorySessions } from "#facade/phi/session/index.ts";

import { crossing } from "../worker/crossing.ts";
import { toolEffects, scriptedAnswers } from "../worker/team.ts";
import { resetAgents, messagesOf } from "./team-driver.ts";
import { admin, converse, follow, message, newThread, stubOf, value } from "./thread-driver.ts";

const runPage = { limit: 50, order: "asc" as const };

beforeEach(resetAgents);

function ask(id: string, caller: Caller = admin): Promise<Response> {
  const headers = { [callerHeader]: JSON.stringify(caller) };
  return stubOf(id).fetch(new Request(`https://thread${exportPath}?format=sessions`, { headers }));
}

/** The sessions of an export, each written to a store and read from it. */
async function sessionsOf(id: string, caller: Caller = admin): Promise<Session[]> {
  return readSessions(await ask(id, caller));
}

async function readSessions(response: Response): Promise<Session[]> {
  expect(response.status).toBe(200);
  const text = new TextDecoder().decode(await response.arrayBuffer());
  expect(text.endsWith("\n")).toBe(true);
  const store = memorySessions();
  const sessions: Session[] = [];
  for (const line of text.trimEnd().split("\n")) {
    const data = JSON.parse(line);
    await store.save(data);
    sessions.push(await store.load(data.session_id));
  }
  return sessions;
}

const runsOf = async (id: string) => (await value(stubOf(id).call("listRuns", admin, runPage))).items;

const textsOf = (loop: Session["loops"][number] | undefined) =>
  loop?.messages.map((one) => [
    one.role,
    one.role === "extension"
      ? one.kind
      : one.content.map((block) => (block.type === "text" ? block.text : block.type)).join("|"),
  ]);

/** A boss whose runs have a call, a child thread with its own child, a file, an error and a stop. */
async function worked(extra: object = {}): Promise<string> {
  const id = await newThread("boss", extra);
  scriptedAnswers.set("boss", ({ step, lastUser }) => {
    if (lastUser === "fail") return { text: "I was about to", error: { kind: "auth", message: "no such key" } };
    if (lastUser === "refuse") return { error: { kind: "auth", message: "no key at all" } };
    if (lastUser === "hold" && step === 0)
      return { text: "holding", toolCalls: [{ name: "act", arguments: { key: "hold" } }] };
    if (lastUser !== "work" || step > 0) return { text: `done with ${lastUser}`, thinking: "hm" };
    return {
      toolCalls: [
        { name: "act", arguments: { key: "k" } },
        { name: "nest", arguments: { task: "deeper" } },
        { name: "nothing", arguments: {} },
      ],
    };
  });
  scriptedAnswers.set("nester", ({ step }) =>
    step === 0 ? { toolCalls: [{ name: "debate", arguments: { task: "argue" } }] } : { text: "nested" },
  );
  scriptedAnswers.set("con", () => ({ toolCalls: [{ name: "conclude", arguments: { said: "yes" } }] }));
  toolEffects.set("k", () => ({ acted: true }));
  await converse(id, "work");
  return id;
}

describe("the sessions of a thread", () => {
  it("EXPORT19 A thread with children at two levels is exported as three sessions, whose loops have the ids, messages and tokens of the runs", async () => {
    const id = await worked();
    const [root, child, grandchild, ...others] = await sessionsOf(id);
    expect(others).toEqual([]);
    expect(root).toMatchObject({ session_id: id, agent_id: "boss", parent_spawn_ref: null });
    const [run] = await runsOf(id);
    const [loop] = root?.loops ?? [];
    expect(root?.loops).toHaveLength(1);
    expect(loop).toMatchObject({
      loop_id: run?.id,
      session_id: id,
      agent_id: "boss",
      status: "Completed",
      config: { model: "team", provider: "test", config_id: null },
      events: [],
    });
    expect(Date.parse(loop?.started_at ?? "")).toBe(Math.floor((run?.started_at ?? 0) / 1000));
    expect(Date.parse(loop?.ended_at ?? "")).toBe(Math.floor((run?.ended_at ?? 0) / 1000));
    expect(textsOf(loop)).toEqual([
      ["user", "work"],
      ["assistant", "toolCall|toolCall|toolCall"],
      ["toolResult", '{"acted":true}'],
      ["toolResult", expect.any(String)],
      ["toolResult", expect.any(String)],
      ["assistant", "thinking|done with work"],
    ]);
    const results = (loop?.messages ?? []).flatMap((one) => (one.role === "toolResult" ? [one] : []));
    expect(results.map(({ tool_name, is_error }) => [tool_name, is_error])).toEqual([
      ["act", false],
      ["nest", false],
      ["nothing", true],
    ]);
    const stored = await messagesOf(id);
    expect(results.map(({ tool_call_id }) => tool_call_id)).toEqual(
      stored.flatMap(({ tool_call_id }) => (tool_call_id === null ? [] : [tool_call_id])),
    );
    expect(grandchild?.loops[0]).toMatchObject({ agent_id: "debate", status: "Completed" });
    // The run counts its children; their sessions have their own tokens, so the sum over sessions is that of the run.
    const sum = [root, child, grandchild].reduce(
      (all, one) => addUsage(all, one?.totalUsage() ?? zeroUsage),
      zeroUsage,
    );
    expect(sum).toEqual(run?.usage);
    expect(loop?.usage.total_tokens).toBeGreaterThan(0);
  });

  it("EXPORT19 The loop of a call names the loop of its child thread, and the child's session names the call, at each level", async () => {
    const id = await worked();
    const sessions = await sessionsOf(id);
    expect(sessions).toHaveLength(3);
    for (const [at, name] of ["nest", "debate"].entries()) {
      const [parent, child] = sessions.slice(at);
      const [ref, ...more] = parent?.loops[0]?.child_loop_refs ?? [];
      expect(more).toEqual([]);
      expect(ref).toEqual({
        tool_call_id: expect.stringMatching(/./),
        tool_name: name,
        child_loop_id: child?.loops[0]?.loop_id,
        child_session_id: child?.session_id,
      });
      expect(child?.parent_spawn_ref).toEqual({
        parent_session_id: parent?.session_id,
        parent_loop_id: parent?.loops[0]?.loop_id,
        tool_call_id: ref?.tool_call_id,
        tool_name: name,
      });
      expect(child?.loops[0]).toMatchObject({ parent_loop_id: parent?.loops[0]?.loop_id, continuation_kind: null });
    }
    const [, child] = sessions;
    expect((await sessionsOf(child?.session_id ?? "")).map(({ session_id }) => session_id)).toEqual(
      sessions.slice(1).map(({ session_id }) => session_id),
    );
  });

  it("EXPORT19 A failed run ends with an answer that has the error, a stopped run is aborted, a run that waits is pending, and a continuation names its run", async () => {
    const id = await worked();
    await converse(id, "fail");
    await converse(id, "refuse");
    const { promise, resolve } = crossing();
    toolEffects.set("hold", () => promise);
    const following = await follow(id, { after: "0" });
    const { run } = await value(stubOf(id).call("postMessage", admin, message("hold"), null));
    await following.until((event) => event.type === "tool_execution_start" && event.run_id === run?.id);
    await value(stubOf(id).call("postMessage", admin, message("later"), null));
    expect((await sessionsOf(id))[0]?.loops.map(({ status }) => status)).toEqual([
      "Completed",
      "Completed",
      "Completed",
      "Running",
      "Pending",
    ]);
    await value(stubOf(id).call("stop", admin, run?.id ?? ""));
    resolve();
    await following.until((event) => event.type === "run_end" && event.run_id === run?.id);
    following.close();
    // The first request resumes the paused queue, and the second one continues without an input.
    for (const _ of ["queue", "continue"]) {
      const { run: next, after } = await value(stubOf(id).call("postRun", admin, { kind: "continue" }, null));
      const again = await follow(id, { after: String(after), run_id: next?.id ?? "" });
      await again.closed;
    }
    const loops = (await sessionsOf(id))[0]?.loops ?? [];
    expect(loops.map(({ loop_id }) => loop_id).toSorted()).toEqual((await runsOf(id)).map((one) => one.id).toSorted());
    const [, failed, refused, stopped] = loops;
    expect(failed?.messages.at(-1)).toMatchObject({
      stop_reason: "error",
      error_message: expect.stringMatching("no such key"),
    });
    expect(failed?.metadata).toMatchObject({ status: "error", error: { code: "auth" } });
    expect(refused?.messages.at(-1)).toMatchObject({
      role: "assistant",
      content: [],
      stop_reason: "error",
      error_message: expect.stringMatching("no key at all"),
    });
    expect(stopped).toMatchObject({ loop_id: run?.id, status: "Aborted", continuation_kind: null });
    expect(loops).toHaveLength(6);
    const after = loops.find(({ continuation_kind }) => continuation_kind === "Default");
    const before = loops.find(({ loop_id }) => loop_id === after?.parent_loop_id);
    expect(before?.loop_id).toBe(loops.at(-2)?.loop_id);
    expect(before?.children_loop_ids).toEqual([after?.loop_id]);
  });

  it("EXPORT19 A file is described by a text, and a message of no run is in the loop before it", async () => {
    const id = await newThread("boss", { initial_messages: [{ role: "system", content: "be kind", silent: true }] });
    await converse(id, "look", {
      attachments: [{ name: "a.csv", mime_type: "text/csv", data: btoa("a,b\n1,2") }],
    });
    await value(stubOf(id).call("postMessage", admin, message("a note", { run: false }), null));
    await converse(id, "again");
    const [session] = await sessionsOf(id);
    expect(session?.loops.map(textsOf)).toEqual([
      [
        ["extension", "system"],
        ["user", expect.stringMatching(/^look\|\[file: a\.csv, text\/csv, 7 bytes, \/.*a\.csv\]$/)],
        ["assistant", expect.stringMatching(/^boss: look/)],
        ["user", "a note"],
      ],
      [
        ["user", "again"],
        ["assistant", "boss: again"],
      ],
    ]);
  });

  it("EXPORT19 A long session has every message of each run as it was at the request, whatever changes while the session is read", async () => {
    const id = await newThread("boss");
    // Long enough that the end of an export is read only when its reader asks for it, and not ahead.
    const long = "x".repeat(50_000);
    scriptedAnswers.set("boss", ({ lastUser }) => ({ text: `${lastUser} ${long}` }));
    const names = Array.from({ length: 12 }, (_, at) => `question ${at}`);
    for (const name of names) await converse(id, name);
    const response = await ask(id);
    const [question, answer] = (await messagesOf(id)).slice(-2);
    await value(stubOf(id).call("patchMessage", admin, question?.id ?? "", { content: "changed" }));
    await value(stubOf(id).call("deleteMessage", admin, answer?.id ?? ""));
    await converse(id, "too late");
    const sessions = await readSessions(response);
    expect(sessions[0]?.loops.map(textsOf)).toEqual(
      names.map((name) => [
        ["user", name],
        ["assistant", `${name} ${long}`],
      ]),
    );
  });

  it("EXPORT19 The messages of a thread without runs are in one loop, until the thread has a run, and a thread without messages has no loop", async () => {
    const empty = await newThread("boss");
    expect((await sessionsOf(empty)).map(({ session_id, loops }) => [session_id, loops])).toEqual([[empty, []]]);
    const initial_messages = [
      { role: "system", content: "be kind", silent: true },
      { role: "user", content: "hello" },
      { role: "assistant", content: "hi" },
    ];
    const id = await newThread("boss", { initial_messages });
    await value(stubOf(id).call("postMessage", admin, message("a note", { run: false }), null));
    const texts = [
      ["extension", "system"],
      ["user", "hello"],
      ["assistant", "hi"],
      ["user", "a note"],
    ];
    const [session] = await sessionsOf(id);
    expect(session?.loops).toMatchObject([
      {
        loop_id: id,
        session_id: id,
        agent_id: "boss",
        parent_loop_id: null,
        started_at: session?.created_at,
        status: "Completed",
        usage: zeroUsage,
      },
    ]);
    expect(session?.loops.map(textsOf)).toEqual([texts]);
    await converse(id, "go on");
    const [later] = await sessionsOf(id);
    expect(later?.loops.map(textsOf)).toEqual([[...texts, ["user", "go on"], ["assistant", "boss: go on"]]]);
    expect(later?.loops[0]?.loop_id).toBe((await runsOf(id))[0]?.id);
  });
});

describe("rights and refusals", () => {
  it("EXPORT20 An export of sessions writes no row", async () => {
    const id = await worked();
    const [, child] = await sessionsOf(id);
    const ids = [id, child?.session_id ?? ""];
    const written = () => Promise.all(ids.map(async (one) => (await stubOf(one).rows()).rowsWritten));
    const before = await written();
    await sessionsOf(id);
    expect(await written()).toEqual(before);
  });

  it("EXPORT20 The owner reads the sessions of a thread and its children, and for another user the thread does not exist", async () => {
    const id = await worked({ user_id: "ada" });
    expect(await sessionsOf(id, { user: "ada", admin: false })).toHaveLength(3);
    const response = await ask(id, { user: "bob", admin: false });
    expect(response.status).toBe(404);
    expect(await response.json()).toMatchObject({ error: { code: "thread_not_found" } });
  });

  it("EXPORT20 A deleted child thread is in no line, and no loop names it", async () => {
    const id = await worked();
    const [, child] = await sessionsOf(id);
    await value(stubOf(child?.session_id ?? "").call("remove", admin));
    const sessions = await sessionsOf(id);
    expect(sessions.map(({ session_id }) => session_id)).toEqual([id]);
    expect(sessions[0]?.loops[0]?.child_loop_refs).toEqual([]);
  });

  it("EXPORT21 An unknown format is refused with the list of formats, and sessions with files are refused", async () => {
    const id = await newThread("boss");
    const get = (query: string) =>
      exports.default.fetch(new Request(`http://localhost/api/threads/${id}/export?${query}`));
    const unknown = await get("format=phi");
    expect(unknown.status).toBe(400);
    expect(await unknown.text()).toMatch(/thread.*sessions/);
    const files = await get("format=sessions&files=true");
    expect(files.status).toBe(400);
    expect(await files.text()).toContain("Sessions contain no files");
    const sessions = await get("format=sessions");
    expect(sessions.status).toBe(200);
    expect(sessions.headers.get("content-disposition")).toBe(`attachment; filename="sessions-${id}.ndjson"`);
    expect(await sessions.json()).toMatchObject({ session_id: id });
  });

  it("EXPORT20 A hostile thread id is refused like that of a thread that does not exist", async () => {
    for (const id of ["..%2F..%2Fetc", "%00", "x'%20OR%201=1--", "__proto__", crypto.randomUUID()]) {
      const response = await exports.default.fetch(
        new Request(`http://localhost/api/threads/${id}/export?format=sessions`),
      );
      expect([400, 404]).toContain(response.status);
      expect(await response.json()).toMatchObject({
        error: { code: expect.stringMatching(/^(invalid_request|.*not_found)$/) },
      });
    }
  });
});
