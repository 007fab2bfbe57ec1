// Recorders of sessions: what the records of real loops contain, their references in both directions, and groups of branches (REQ-210 to 214,
// 218, 221).

import { describe, expect, it } from "vitest";

import { BasicAgent, createTool, ModelConfig, textResult } from "#facade/phi/index.ts";
import type { AgentEvent } from "#facade/phi/index.ts";
import { MockProvider } from "#facade/phi/provider/mock-provider.ts";
import { Session, SessionError, SessionRecorder } from "#facade/phi/session/index.ts";
import type { SessionRecorderConfig } from "#facade/phi/session/index.ts";

import {
  agentOf,
  at,
  branches,
  called,
  ended,
  record,
  recorderOf,
  selected,
  shown,
  started,
  statuses,
  tokens,
  updated,
} from "./support/session-events.ts";

describe("the record of a loop", () => {
  it("Every event of a loop has its id, and the record of the loop has its ids, times, messages, tokens and events", async () => {
    const agent = agentOf(["Hello."]);
    const recorder = new SessionRecorder();
    const run = agent.prompt("Hi.");
    const events = await record(recorder, run);
    const loopId = agent.lastLoopId ?? "";
    expect(events.every((event) => "loop_id" in event && event.loop_id === loopId)).toBe(true);
    const start = events.find((event) => event.type === "AgentStart");
    const end = events.find((event) => event.type === "AgentEnd");
    const session = recorder.getSession(agent.sessionId);
    expect(session).toMatchObject({
      session_id: agent.sessionId,
      agent_id: agent.agentId,
      created_at: start?.timestamp,
      last_active_at: end?.timestamp,
      formation: { FirstLoop: { timestamp: start?.timestamp } },
      parent_spawn_ref: null,
    });
    expect(session?.loops).toHaveLength(1);
    expect(session?.loops[0]).toMatchObject({
      loop_id: loopId,
      session_id: agent.sessionId,
      agent_id: agent.agentId,
      parent_loop_id: null,
      continuation_kind: null,
      started_at: start?.timestamp,
      ended_at: end?.timestamp,
      status: "Completed",
      rejection: null,
      config: { model: "claude-sonnet-4-5", provider: "mock", config_id: loopId.split(".").slice(1, -1).join(".") },
      messages: await run.done,
      usage: end?.usage,
      metadata: null,
      children_loop_ids: [],
      child_loop_refs: [],
      parallel_group: null,
    });
    const recorded = events.filter(({ type }) => type !== "MessageUpdate");
    expect(session?.loops[0]?.events.map(({ event }) => event)).toEqual(recorded);
  });

  it("Deltas are recorded only on request, and the numbers of the events show where they were left out", () => {
    const events = [started("s.main.1", 0), updated("s.main.1", "a"), shown("s.main.1", "ab"), ended("s.main.1", 1)];
    const numbers = (config: Partial<SessionRecorderConfig>) =>
      recorderOf(events, config)
        .getSession("s")
        ?.loops[0]?.events.map(({ sequence, event }) => [sequence, event.type]);
    expect(numbers({})).toEqual([
      [0, "AgentStart"],
      [2, "MessageEnd"],
      [3, "AgentEnd"],
    ]);
    expect(numbers({ include_streaming_events: true })).toEqual([
      [0, "AgentStart"],
      [1, "MessageUpdate"],
      [2, "MessageEnd"],
      [3, "AgentEnd"],
    ]);
  });

  it("A loop of 1,000 events has all of them in their order while it runs, and after its end", () => {
    const recorder = recorderOf([started("s.main.1", 0)]);
    for (let index = 1; index <= 1000; index += 1) recorder.onEvent(shown("s.main.1", `${index}`));
    const numbers = Array.from({ length: 1001 }, (_none, index) => index);
    const recorded = () => recorder.getSession("s")?.loops[0]?.events.map(({ sequence }) => sequence);
    expect(recorder.currentLoop("s.main.1")?.events.map(({ sequence }) => sequence)).toEqual(numbers);
    expect(recorded()).toEqual(numbers);
    recorder.onEvent(ended("s.main.1", 1));
    expect(recorded()).toEqual([...numbers, 1001]);
    expect(recorder.state.running).toEqual([]);
  });

  it("A loop that is given its options has a snapshot of them, without its key, its headers and the query of its address", async () => {
    const config = {
      ...ModelConfig.anthropic("claude-sonnet-4-5", "Claude", "sk-secret"),
      base_url: "https://proxy.example/v1?key=sk-secret#sk-secret",
      headers: { "x-key": "sk-secret" },
      context_window: 200_000,
    };
    const agent = new BasicAgent(config)
      .withProviderOverride(MockProvider.texts(["Hello."]))
      .withThinking("Low")
      .withTemperature(0.5);
    const recorder = new SessionRecorder();
    await record(recorder, agent.prompt("Hi."), agent);
    const [loop] = recorder.getSession(agent.sessionId)?.loops ?? [];
    expect(loop?.config).toEqual({
      model: "claude-sonnet-4-5",
      provider: "mock",
      config_id: loop?.loop_id.split(".").slice(1, -1).join("."),
      name: "Claude",
      api: "anthropic_messages",
      base_url: "https://proxy.example/v1",
      context_window: 200_000,
      max_tokens: 8192,
      thinking_level: "Low",
      temperature: 0.5,
    });
    expect(JSON.stringify(recorder.state)).not.toContain("sk-secret");
  });

  it("The loop of another agent does not get the options of the agent that the recorder is given", () => {
    const recorder = new SessionRecorder();
    recorder.onEvent(started("s.main.1", 0), agentOf([]));
    expect(recorder.currentLoop("s.main.1")?.config).toBeNull();
  });

  it("A loop is running until its end, rejected if a filter refused the prompt, and aborted if the recorder is flushed before", () => {
    const recorder = recorderOf([started("s.main.1", 0), started("s.main.2", 1), started("s.main.3", 2)]);
    expect(recorder.currentLoop("s.main.1")?.status).toBe("Running");
    recorder.onEvent(ended("s.main.1", 3));
    recorder.onEvent(ended("s.main.2", 3, { messages: [], rejection: "No passwords." }));
    expect([recorder.currentLoop("s.main.1"), recorder.currentLoop("none")]).toEqual([null, null]);
    recorder.flush();
    const session = recorder.getSession("s");
    expect(statuses(session)).toEqual(["s.main.1 Completed", "s.main.2 Rejected", "s.main.3 Aborted"]);
    expect(session?.loops.map(({ rejection, ended_at }) => [rejection, ended_at])).toEqual([
      [null, at(3)],
      ["No passwords.", at(3)],
      [null, null],
    ]);
  });

  it("A loop that ends after a flush is completed with the events that arrived since", () => {
    const recorder = recorderOf([started("s.main.1", 0)]);
    recorder.flush();
    expect(recorder.drainCompleted().map(statuses)).toEqual([["s.main.1 Aborted"]]);
    recorder.onEvent(shown("s.main.1", "Late."));
    expect(recorder.drainCompleted().map(({ loops }) => loops[0]?.events.length)).toEqual([2]);
    recorder.onEvent(ended("s.main.1", 5));
    const [session, ...others] = recorder.drainCompleted();
    expect(others).toEqual([]);
    expect(statuses(session ?? null)).toEqual(["s.main.1 Completed"]);
    expect(session?.loops[0]?.events.map(({ sequence }) => sequence)).toEqual([0, 1, 2]);
  });

  it("Events of a loop that the recorder does not know are ignored, and so are events after the end of a loop", () => {
    const recorder = recorderOf([started("s.main.1", 0), ended("s.main.1", 1)]);
    const { state } = recorder;
    const late = [shown("none", "?"), ended("none", 2), called("none", "c", null), shown("s.main.1", "late")];
    for (const event of [...late, called("s.main.1", "c", null)]) recorder.onEvent(event);
    recorder.onEvent({ type: "SomethingNew", loop_id: "s.main.1" } as unknown as AgentEvent);
    expect(recorder.state).toEqual(state);
  });

  it("A record does not change if the program changes an event, a message or a record that it was given", () => {
    const event = ended("s.main.1", 1);
    const recorder = recorderOf([started("s.main.1", 0), event]);
    const before = JSON.stringify(recorder.sessions());
    if (event.type === "AgentEnd") event.messages.length = 0;
    for (const session of [...recorder.sessions(), recorder.getSession("s"), ...recorder.drainCompleted()])
      if (session !== null) session.loops.length = 0;
    expect(JSON.stringify(recorder.sessions())).toBe(before);
  });

  it("An event that JSON cannot write is refused by its type, and the recorder continues", () => {
    const recorder = new SessionRecorder();
    const wrong = started("s.main.1", 0, { metadata: { big: 1n } as never });
    expect(() => recorder.onEvent(wrong)).toThrow(
      new SessionError("InvalidSession", "An event AgentStart cannot be written as JSON."),
    );
    recorder.onEvent(started("s.main.1", 0));
    expect(statuses(recorder.getSession("s"))).toEqual(["s.main.1 Running"]);
  });
});

describe("continuations and navigation", () => {
  it("A loop that continues another one is its child, with its kind, in both directions", async () => {
    const agent = agentOf(["One.", "Two.", "Three."]);
    const recorder = new SessionRecorder();
    await record(recorder, agent.prompt("Hi."));
    const parent = agent.lastLoopId ?? "";
    await record(recorder, agent.rerun());
    const session = recorder.getSession(agent.sessionId);
    const child = session?.getLoop(agent.lastLoopId ?? "");
    expect(child).toMatchObject({ parent_loop_id: parent, continuation_kind: { Rerun: {} }, status: "Completed" });
    expect(session?.getLoop(parent)?.children_loop_ids).toEqual([child?.loop_id]);
    expect(session?.parent_spawn_ref).toBeNull();
  });

  it("The roots, children, branches and tokens of a session are those of its records, and unknown ids have none", () => {
    const child = { parent_loop_id: "s.main.1", continuation_kind: "Default" as const };
    const session = recorderOf([
      started("s.main.1", 0),
      ended("s.main.1", 1),
      branches("s", ["s.b.1", "s.a.1"], 2),
      started("s.a.1", 3, child),
      started("s.b.1", 4, child),
      ended("s.b.1", 5),
      ended("s.a.1", 6),
      selected("s", "s.a.1", 1, 7),
      started("s.main.2", 8, { parent_loop_id: "gone.main.1", continuation_kind: "Default" }),
    ]).getSession("s");
    const ids = (loops: { loop_id: string }[] | undefined) => loops?.map(({ loop_id }) => loop_id);
    expect(ids(session?.rootLoops())).toEqual(["s.main.1", "s.main.2"]);
    expect(ids(session?.childrenOf("s.main.1"))).toEqual(["s.a.1", "s.b.1"]);
    expect(ids(session?.parallelSiblings("s.a.1"))).toEqual(["s.b.1", "s.a.1"]);
    expect([
      session?.parallelSiblings("s.main.1"),
      session?.childrenOf("none"),
      session?.parallelSiblings("none"),
    ]).toEqual([[], [], []]);
    expect([session?.getLoop("s.main.2")?.status, session?.getLoop("none")]).toEqual(["Running", null]);
    // A continuation is begun by a program, not by a call of the other session.
    expect(session?.parent_spawn_ref).toBeNull();
    expect(session?.totalUsage()).toEqual({ input: 12, output: 3, cache_read: 0, cache_write: 0, total_tokens: 15 });
  });

  it("A session has the fields that it was given, also those of later versions, and no field replaces one of its functions", () => {
    const [data] = recorderOf([started("s.main.1", 0)]).state.sessions.map((known) => known.data);
    const given = JSON.parse(
      JSON.stringify(data).replace("{", '{"later":1,"rootLoops":2,"toString":3,"__proto__":{"polluted":true},'),
    ) as never;
    const session = new Session(given);
    expect(session).toMatchObject({ ...data, later: 1 });
    expect([session.rootLoops().length, typeof session.toString, "polluted" in session]).toEqual([
      1,
      "function",
      false,
    ]);
  });
});

describe("branches that run in parallel", () => {
  const group = { all_loop_ids: ["s.a.1", "s.b.1"], selected_loop_id: "s.b.1", selected_config_index: 1 };
  const evaluated = { ...group, evaluation_usage: tokens(7) };

  it("Announced branches are pending before they begin, and have their group with the selected branch after the evaluation", () => {
    const recorder = recorderOf([branches("s", ["s.a.1", "s.b.1"], 0)]);
    expect(recorder.getSession("s")).toMatchObject({ agent_id: "", loops: [{ agent_id: "" }, { agent_id: "" }] });
    expect(statuses(recorder.getSession("s"))).toEqual(["s.a.1 Pending", "s.b.1 Pending"]);
    expect(recorder.currentLoop("s.b.1")?.status).toBe("Pending");
    expect(recorder.drainCompleted()).toEqual([]);
    recorder.onEvent(started("s.b.1", 1));
    recorder.onEvent(started("s.a.1", 2));
    expect(recorder.getSession("s")?.agent_id).toBe("agent of s");
    expect(statuses(recorder.getSession("s"))).toEqual(["s.b.1 Running", "s.a.1 Running"]);
    recorder.onEvent(ended("s.a.1", 3));
    recorder.onEvent(ended("s.b.1", 4));
    expect(recorder.getSession("s")?.loops.map(({ parallel_group }) => parallel_group)).toEqual([null, null]);
    recorder.onEvent(selected("s", "s.b.1", 1, 5));
    const session = recorder.getSession("s");
    expect(session?.getLoop("s.a.1")?.parallel_group).toEqual({ ...evaluated, is_selected: false });
    expect(session?.getLoop("s.b.1")?.parallel_group).toEqual({ ...evaluated, is_selected: true });
  });

  it("A group is set on branches that were flushed and drained before the evaluation ended, and their session is returned again", () => {
    const recorder = recorderOf([branches("s", ["s.a.1", "s.b.1"], 0), started("s.a.1", 1), started("s.b.1", 1)]);
    recorder.flush();
    expect(recorder.drainCompleted()).toHaveLength(1);
    recorder.onEvent(selected("s", "s.b.1", 1, 5));
    const [session] = recorder.drainCompleted();
    expect(session?.getLoop("s.b.1")?.parallel_group).toEqual({ ...evaluated, is_selected: true });
  });

  it("A branch that its hook refused, or that never began, is aborted", () => {
    const recorder = recorderOf([branches("s", ["s.a.1", "s.b.1", "s.c.1"], 0)]);
    recorder.onEvent(ended("s.a.1", 1, { messages: [] }));
    expect(statuses(recorder.getSession("s"))).toEqual(["s.a.1 Aborted", "s.b.1 Pending", "s.c.1 Pending"]);
    for (const event of [started("s.c.1", 2), ended("s.c.1", 3), selected("s", "s.c.1", 2, 4)]) recorder.onEvent(event);
    expect(statuses(recorder.getSession("s"))).toEqual(["s.a.1 Aborted", "s.b.1 Aborted", "s.c.1 Completed"]);
    expect(recorder.getSession("s")?.getLoop("s.b.1")?.ended_at).toBe(at(4));
  });
});

describe("loops that calls of other sessions ran", () => {
  const child = (seconds: number) => started("c.sub.1", seconds, { parent_loop_id: "p.main.1" });
  const spawn = {
    parent_session_id: "p",
    parent_loop_id: "p.main.1",
    tool_call_id: "call-1",
    tool_name: "sub_agent",
  };
  const refs = [{ tool_call_id: "call-1", tool_name: "sub_agent", child_loop_id: "c.sub.1", child_session_id: "c" }];
  const expectBoth = (recorder: SessionRecorder): void => {
    expect(recorder.getSession("c")?.parent_spawn_ref).toEqual(spawn);
    expect(recorder.getSession("p")?.getLoop("p.main.1")).toMatchObject({
      child_loop_refs: refs,
      children_loop_ids: [],
    });
  };

  it("The call and the session of a sub-agent name each other once the call has ended", () => {
    const recorder = recorderOf([started("p.main.1", 0), child(1), ended("c.sub.1", 2)]);
    expect(recorder.getSession("c")?.parent_spawn_ref).toEqual({ ...spawn, tool_call_id: "", tool_name: "" });
    recorder.onEvent(called("p.main.1", "call-1", "c.sub.1"));
    expectBoth(recorder);
  });

  it("The references are complete if the call ends before the session of the sub-agent arrives, or before that session ends", () => {
    const parent = [started("p.main.1", 0), called("p.main.1", "call-1", "c.sub.1")];
    expectBoth(recorderOf([...parent, child(1), ended("c.sub.1", 2)]));
    expectBoth(recorderOf([started("p.main.1", 0), child(1), ...parent.slice(1), ended("c.sub.1", 2)]));
    expectBoth(recorderOf([child(1), ended("c.sub.1", 2), ...parent]));
  });

  it("A session that was flushed and drained before the call ended gets its call, and is returned again", () => {
    const recorder = recorderOf([started("p.main.1", 0), child(1), ended("c.sub.1", 2)]);
    recorder.flush();
    expect(recorder.drainCompleted().map(({ session_id }) => session_id)).toEqual(["p", "c"]);
    recorder.onEvent(called("p.main.1", "call-1", "c.sub.1"));
    expectBoth(recorder);
    expect(recorder.drainCompleted().map(({ parent_spawn_ref }) => parent_spawn_ref)).toEqual([null, spawn]);
  });

  it("A drained session whose call has not ended stays in memory, also if no other session does", () => {
    const recorder = recorderOf([started("p.main.1", 0), child(1), ended("c.sub.1", 2)], { retained_sessions: 0 });
    expect(recorder.drainCompleted().map(({ session_id }) => session_id)).toEqual(["c"]);
    recorder.onEvent(called("p.main.1", "call-1", "c.sub.1"));
    expectBoth(recorder);
    recorder.onEvent(ended("p.main.1", 3));
    expect(recorder.drainCompleted().map(({ session_id }) => session_id)).toEqual(["p", "c"]);
    expect(recorder.sessions()).toEqual([]);
  });

  it("A call that ended after its own loop, and twice, adds its reference once", () => {
    const recorder = recorderOf([started("p.main.1", 0), child(1), ended("c.sub.1", 2), ended("p.main.1", 3)]);
    for (let time = 0; time < 2; time += 1) recorder.onEvent(called("p.main.1", "call-1", "c.sub.1"));
    expectBoth(recorder);
  });

  it("A child whose beginning does not name its parent is found by the call, and an id without a session in it as well", () => {
    const id = "0b6d1a2c-1111-4111-8111-111111111111";
    const recorder = recorderOf([
      started(id, 0, { session_id: "p" }),
      started("c.sub.1", 1, { session_id: "c" }),
      called(id, "call-1", "c.sub.1"),
    ]);
    expect(recorder.getSession("c")?.parent_spawn_ref).toEqual({ ...spawn, parent_loop_id: id });
  });

  it("A tool that runs an agent is recorded with the session of that agent", async () => {
    const recorder = new SessionRecorder();
    const sub = agentOf(["Found it."]);
    const tool = createTool({
      name: "sub_agent",
      description: "Delegates.",
      parameters: { type: "object" },
      async execute() {
        await record(recorder, sub.prompt("Find it."));
        return { ...textResult("Found it."), child_loop_id: sub.lastLoopId };
      },
    });
    const agent = new BasicAgent(ModelConfig.anthropic("claude-sonnet-4-5", "Claude", "key"))
      .withTools([tool])
      .withProviderOverride(
        new MockProvider([{ tool_calls: [{ name: "sub_agent", arguments: {} }] }, { text: "Done." }]),
      );
    await record(recorder, agent.prompt("Go."));
    const [ref] = recorder.getSession(agent.sessionId)?.loops[0]?.child_loop_refs ?? [];
    expect(ref).toMatchObject({
      tool_name: "sub_agent",
      child_loop_id: sub.lastLoopId,
      child_session_id: sub.sessionId,
    });
    expect(recorder.getSession(sub.sessionId)?.parent_spawn_ref).toEqual({
      parent_session_id: agent.sessionId,
      parent_loop_id: agent.lastLoopId,
      tool_call_id: ref?.tool_call_id,
      tool_name: "sub_agent",
    });
  });
});
