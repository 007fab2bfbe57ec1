// When sessions begin, and how they are continued in another recorder (REQ-214, 215).

import { describe, expect, it } from "vitest";

import { agentLoop, agentLoopContinue, ModelConfig, userMessage } from "#facade/phi/index.ts";
import type { AgentContext, AgentEvent } from "#facade/phi/index.ts";
import { MockProvider } from "#facade/phi/provider/mock-provider.ts";
import * as sessions from "#facade/phi/session/index.ts";
import { drainSessions, memorySessions, Session, SessionRecorder } from "#facade/phi/session/index.ts";
import * as nodeSessions from "#facade/phi/session/node/index.ts";

import {
  agentOf,
  at,
  branches,
  ended,
  record,
  recorderOf,
  selected,
  started,
  statuses,
} from "./support/session-events.ts";

describe("when sessions begin", () => {
  it("An agent's first session begins with its first loop, and a session after newSession is explicit, without a parent", async () => {
    const agent = agentOf(["One.", "Two.", "Three."]);
    const recorder = new SessionRecorder();
    await record(recorder, agent.prompt("Hi."));
    await record(recorder, agent.prompt("Again."));
    const first = agent.sessionId;
    const second = agent.newSession();
    await record(recorder, agent.prompt("New."));
    expect(recorder.sessions().map(({ session_id, loops }) => [session_id, loops.length])).toEqual([
      [first, 2],
      [second, 1],
    ]);
    expect(recorder.sessions().map(({ formation }) => Object.keys(formation))).toEqual([["FirstLoop"], ["Explicit"]]);
    expect(recorder.getSession(second)?.loops[0]).toMatchObject({ parent_loop_id: null });
    expect(recorder.getSession(second)?.loops[0]?.loop_id).toMatch(/\.1$/);
  });

  it("A context that is used for several loops gives each its own id, so that a recorder has all of them", async () => {
    const recorder = new SessionRecorder();
    const tx = { send: (event: AgentEvent) => recorder.onEvent(event) };
    const config = {
      modelConfig: ModelConfig.anthropic("claude-sonnet-4-5", "Claude", "key"),
      providerOverride: new MockProvider(["One.", "Two.", "Three."]),
    };
    const context: AgentContext = { system_prompt: "", messages: [], tools: [] };
    const ids: unknown[] = [];
    for (const text of ["Hi.", "Again."]) {
      await agentLoop([userMessage(text)], context, config, tx);
      ids.push(context.loop_id);
    }
    context.messages.push(userMessage("More."));
    await agentLoopContinue(context, config, tx);
    ids.push(context.loop_id);
    expect(new Set(ids).size).toBe(3);
    const [session, ...others] = recorder.sessions();
    expect(others).toEqual([]);
    expect(new Set(session?.loops.map(({ loop_id }) => loop_id))).toEqual(new Set(ids));
    expect(session?.loops.map(({ messages }) => messages.length).toSorted((one, other) => one - other)).toEqual([
      1, 2, 2,
    ]);
  });

  it("The id of a loop that a program sets stays, also after a loop with an id that agentLoop made", async () => {
    const started: string[] = [];
    const tx = { send: (event: AgentEvent) => void (event.type === "AgentStart" && started.push(event.loop_id)) };
    const config = {
      modelConfig: ModelConfig.anthropic("claude-sonnet-4-5", "Claude", "key"),
      providerOverride: new MockProvider(),
    };
    const context: AgentContext = { system_prompt: "", messages: [], tools: [] };
    for (const set of [undefined, "s.main.1", undefined]) {
      if (set !== undefined) context.loop_id = set;
      await agentLoop([userMessage("Hi.")], context, config, tx);
    }
    expect(started.slice(1)).toEqual(["s.main.1", "s.main.1"]);
  });

  it("An agent that rotates after a time without prompts continues in another session, and before that time in the same one", async () => {
    const agent = agentOf(["One.", "Two.", "Three."]);
    const recorder = new SessionRecorder();
    expect(agent.checkAndRotate(1000)).toBeNull();
    await record(recorder, agent.prompt("Hi."));
    const prompted = agent.lastActiveAt?.getTime() ?? 0;
    expect(agent.checkAndRotate(1000, new Date(prompted + 1000))).toBeNull();
    await record(recorder, agent.prompt("Soon."));
    const later = (agent.lastActiveAt?.getTime() ?? 0) + 1001;
    const rotated = agent.checkAndRotate(1000, new Date(later));
    expect([rotated, agent.lastLoopId, agent.loopCounters]).toEqual([agent.sessionId, null, {}]);
    await record(recorder, agent.prompt("Late."));
    expect(recorder.sessions().map(({ loops }) => loops.length)).toEqual([2, 1]);
    expect(recorder.sessions()[1]?.session_id).toBe(rotated);
  });

  it("A recorder with a time limit splits a session at each longer pause, and never while a loop runs", () => {
    const config = { formation_policy: { InactivityTimeout: { secs: 60 } } };
    const events = [started("s.main.1", 0), ended("s.main.1", 10), started("s.main.2", 70), ended("s.main.2", 71)];
    const continued = { parent_loop_id: "s.main.2", continuation_kind: "Default" as const };
    const recorder = recorderOf([...events, started("s.main.3", 132, continued)], config);
    recorder.onEvent(started("s.main.4", 900));
    for (const id of ["s.main.3", "s.main.4"]) recorder.onEvent(ended(id, 901));
    recorder.onEvent(started("s.main.5", 1000));
    expect(
      recorder.sessions().map((session) => [session.session_id, statuses(session)?.length, session.formation]),
    ).toEqual([
      ["s", 2, { FirstLoop: { timestamp: at(0) } }],
      ["s~2", 2, { InactivityTimeout: { threshold_secs: 60, previous_session_id: "s", timestamp: at(132) } }],
      ["s~3", 1, { InactivityTimeout: { threshold_secs: 60, previous_session_id: "s~2", timestamp: at(1000) } }],
    ]);
    const part = recorder.getSession("s~2");
    expect(part?.parent_spawn_ref).toBeNull();
    expect(part?.getLoop("s.main.3")).toMatchObject({ session_id: "s~2", config: { config_id: "main" } });
  });

  it.each<[string, unknown]>([
    ["formation_policy", "Never"],
    ["formation_policy", { InactivityTimeout: { secs: -1 } }],
    ["formation_policy", { InactivityTimeout: {} }],
    ["include_streaming_events", 1],
    ["retained_sessions", 1.5],
    ["retained", 1],
  ])("The option %s of a recorder with the value %j is refused by its name", (name, value) => {
    expect(() => new SessionRecorder({ [name]: value })).toThrow(`\`${name}\``);
  });
});

describe("sessions that are continued", () => {
  it("A session that was saved is continued in another recorder, and drained again with all its loops", () => {
    const first = recorderOf([started("s.main.1", 0), ended("s.main.1", 1)]);
    const [saved] = first.drainCompleted();
    const second = new SessionRecorder();
    second.resume(new Session(JSON.parse(JSON.stringify(saved)) as Session));
    expect(second.drainCompleted()).toEqual([]);
    const continued = { parent_loop_id: "s.main.1", continuation_kind: "Default" as const };
    for (const event of [started("s.main.2", 2, continued), ended("s.main.2", 3)]) second.onEvent(event);
    const [session] = second.drainCompleted();
    expect(statuses(session ?? null)).toEqual(["s.main.1 Completed", "s.main.2 Completed"]);
    expect(session?.getLoop("s.main.1")?.children_loop_ids).toEqual(["s.main.2"]);
  });

  it("A part of a session is continued with its number, a session that is known is refused, and so is a value that is no session", () => {
    const config = { formation_policy: { InactivityTimeout: { secs: 60 } } };
    const events = [started("s.main.1", 0), ended("s.main.1", 1), started("s.main.2", 100), ended("s.main.2", 101)];
    const part = recorderOf(events, config).getSession("s~2");
    if (part === null) throw new Error("There is no second part.");
    const recorder = new SessionRecorder(config);
    recorder.resume(part);
    expect(() => recorder.resume(part)).toThrow('The recorder already knows the session "s~2".');
    const wrong = { ...recorder.state.sessions[0]?.data, session_id: "t", loops: [{}] };
    expect(() => recorder.resume(wrong as never)).toThrow(/loops\.0/);
    recorder.onEvent(started("s.main.3", 120));
    recorder.onEvent(ended("s.main.3", 121));
    recorder.onEvent(started("s.main.4", 300));
    expect(recorder.sessions().map(({ session_id, loops }) => [session_id, loops.length])).toEqual([
      ["s~2", 2],
      ["s~3", 1],
    ]);
  });

  it("Drained sessions stay in memory up to their number, the ones that were active last, and a session with a loop that runs always", () => {
    const ids = ["a", "b", "c", "d"];
    const events = ids.flatMap((id, index) => [started(`${id}.main.1`, 10 - index), ended(`${id}.main.1`, 20 - index)]);
    const recorder = recorderOf([...events, started("open.main.1", 0)], { retained_sessions: 2 });
    expect(recorder.drainCompleted()).toHaveLength(4);
    expect(recorder.sessions().map(({ session_id }) => session_id)).toEqual(["a", "b", "open"]);
  });

  it.each([
    ["a loop", started("s.main.2", 2)],
    ["branches", branches("s", ["s.main.2"], 2)],
  ])(
    "The beginning of %s in a session that is no longer in memory is refused, and recorded after the session is resumed",
    async (_what, event) => {
      const store = memorySessions();
      const recorder = recorderOf([started("s.main.1", 0), ended("s.main.1", 1)], { retained_sessions: 0 });
      const saveAll = async (): Promise<void> => {
        for (const session of recorder.drainCompleted()) await store.save(session);
      };
      await saveAll();
      for (const _again of [1, 2]) expectNotInMemory(() => recorder.onEvent(event), "s");
      recorder.onEvent(ended("s.main.2", 3));
      expect([recorder.sessions(), recorder.drainCompleted()]).toEqual([[], []]);
      recorder.resume(await store.load("s"));
      for (const one of [event, started("s.main.2", 2), ended("s.main.2", 3), selected("s", "s.main.2", 0, 4)])
        recorder.onEvent(one);
      await saveAll();
      expect(statuses(await store.load("s"))).toEqual(["s.main.1 Completed", "s.main.2 Completed"]);
      expectNotInMemory(() => recorder.onEvent(started("s.main.3", 5)), "s");
      recorder.onEvent(started("t.main.1", 5));
      expect(recorder.sessions().map(({ session_id }) => session_id)).toEqual(["t"]);
    },
  );

  it("The part of a session that is no longer in memory is refused by its own id, also if an earlier part is resumed in its place", () => {
    const config = { formation_policy: { InactivityTimeout: { secs: 60 } }, retained_sessions: 0 };
    const events = [started("s.main.1", 0), ended("s.main.1", 1), started("s.main.2", 100), ended("s.main.2", 101)];
    const recorder = recorderOf(events, config);
    const [first, second] = recorder.drainCompleted();
    expectNotInMemory(() => recorder.onEvent(started("s.main.3", 120)), "s~2");
    recorder.resume(first as Session);
    expectNotInMemory(() => recorder.onEvent(started("s.main.3", 120)), "s~2");
    recorder.resume(second as Session);
    recorder.onEvent(started("s.main.3", 120));
    expect(recorder.getSession("s~2")?.loops).toHaveLength(2);
  });

  it("The ids of the 10,000 sessions that were dropped last are kept, and no more", () => {
    const recorder = recorderOf([started("s.main.1", 0), ended("s.main.1", 1)], { retained_sessions: 0 });
    const forgotten = Array.from({ length: 10_000 }, (_, at) => ({ session_id: `old-${at}`, source_id: `old-${at}` }));
    const { state } = drainSessions({ ...recorder.state, forgotten });
    expect(state.forgotten).toHaveLength(10_000);
    expect([state.forgotten[0]?.session_id, state.forgotten.at(-1)?.session_id]).toEqual(["old-1", "s"]);
  });

  it("A session whose loop was flushed, or whose evaluation runs, stays in memory until its last event", () => {
    const events = [started("s.main.1", 0), branches("p", ["p.a.1"], 0), started("p.a.1", 0), ended("p.a.1", 1)];
    const recorder = recorderOf(events, { retained_sessions: 0 });
    recorder.flush();
    expect(recorder.drainCompleted()).toHaveLength(2);
    for (const event of [started("p.judge.1", 2), ended("p.judge.1", 3), ended("s.main.1", 4)]) recorder.onEvent(event);
    const [flushed, evaluated] = recorder.drainCompleted();
    expect(statuses(flushed ?? null)).toEqual(["s.main.1 Completed"]);
    expect(statuses(evaluated ?? null)).toEqual(["p.a.1 Completed", "p.judge.1 Completed"]);
    expect(recorder.sessions().map(({ session_id }) => session_id)).toEqual(["p"]);
    recorder.onEvent(selected("p", "p.a.1", 0, 5));
    expect(recorder.drainCompleted()[0]?.getLoop("p.a.1")?.parallel_group?.is_selected).toBe(true);
    expect(recorder.sessions()).toEqual([]);
  });
});

function expectNotInMemory(work: () => void, id: string): void {
  const thrown = errorOf(work);
  expect(thrown).toMatchObject({ name: "SessionError", kind: "NotInMemory" });
  expect(String(thrown)).toContain(`The session "${id}" is no longer in the memory of the recorder`);
}

function errorOf(work: () => void): unknown {
  try {
    work();
  } catch (error) {
    return error;
  }
  return null;
}

it("The entry for sessions exports exactly the recorder, its fold, the stores and their contract, and the entry for Node the store of files", () => {
  expect(Object.keys(sessions).toSorted()).toEqual([
    "Session",
    "SessionError",
    "SessionRecorder",
    "drainSessions",
    "flushSessions",
    "foldSession",
    "memorySessions",
    "newRecorderState",
    "sessionStoreContract",
    "settingsSnapshot",
    "threadSessions",
  ]);
  expect(Object.keys(nodeSessions).toSorted()).toEqual([
    "deleteSession",
    "fileSessions",
    "listSessionIds",
    "loadSession",
    "loadSessionsForAgent",
    "saveSession",
  ]);
});
