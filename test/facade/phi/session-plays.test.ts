// The plays of the public implementation of phi-core about sessions and their stores (plays/README.md).

import { readdir } from "node:fs/promises";

import { expect, it } from "vitest";

import { agentLoop, agentLoopContinue, BasicAgent, createTool } from "#facade/phi/index.ts";
import type { AgentContext, AgentEvent, AgentMessage } from "#facade/phi/index.ts";
import { agentLoopParallel, cloneContext, PickFirstEvaluation } from "#facade/phi/loop-agents.ts";
import { MockProvider } from "#facade/phi/provider/mock-provider.ts";
import { SessionRecorder } from "#facade/phi/session/index.ts";
import type { LoopRecord, Session, SessionStore } from "#facade/phi/session/index.ts";
import { fileSessions, loadSession, saveSession } from "#facade/phi/session/node/index.ts";
import { deleteSession, listSessionIds, loadSessionsForAgent } from "#facade/phi/session/node/index.ts";
import { decodeSession } from "#facade/phi/session/session-codec.ts";

import { withFolder } from "../uap/support/checkpoint-folder.ts";
import { scripted } from "./support/parallel-play.ts";
import { answerOf, entriesOf, messagesOf } from "./support/play-file.ts";
import { at, kindOf, sessionOf } from "./support/session-events.ts";

/* oxlint-disable typescript/no-explicit-any -- the notation of plays has no types; a wrong member makes the play fail */
type Any = any;

const usage = { input: 0, output: 0, cache_read: 0, cache_write: 0, total_tokens: 0 };

/** The members of events that an entry leaves out. */
const defaults: Record<string, object> = {
  AgentStart: { continuation_kind: null, timestamp: at(0), metadata: null },
  AgentEnd: { messages: [], usage, rejection: null, timestamp: at(1) },
  TurnStart: { timestamp: at(0) },
  ToolExecutionStart: { args: {} },
};

/** Records the steps of a play. A text `$n` stands for the loop of step n, and `$n.m` for its branch m. */
class RecordedPlay {
  readonly ids: Record<string, string> = {};
  readonly contexts: AgentContext[] = [];
  readonly recorder: SessionRecorder;
  drained: Session[] = [];

  constructor(config: object = {}) {
    this.recorder = new SessionRecorder(config);
  }

  /** Replaces the texts that stand for loops. */
  named(value: Any): Any {
    return JSON.parse(
      JSON.stringify(value).replaceAll(/\$\d+(?:\.\d+)?/g, (name) => this.ids[name] ?? `no loop ${name}`),
    );
  }

  async step(step: Any, number: number): Promise<void> {
    const events: AgentEvent[] = [];
    const tx = { send: (event: AgentEvent) => void events.push(event) };
    const config = scripted((step.answers ?? []).map(answerOf));
    const context: AgentContext = { system_prompt: "", messages: [], tools: [], ...step.context };
    if (step.do === "loop") await agentLoop(messagesOf(step.prompts), context, config, tx);
    else if (step.do === "continue") {
      const base = this.contexts[step.from] as AgentContext;
      Object.assign(context, cloneContext(base), { loop_id: step.loop_id, parent_loop_id: base.loop_id });
      context.continuation_kind = step.kind;
      (context.messages as AgentMessage[]).push(...messagesOf([step.message]));
      await agentLoopContinue(context, config, tx);
    } else if (step.do === "parallel") {
      const configs = step.branches.map((answers: Any[]) => scripted(answers.map(answerOf)));
      await agentLoopParallel(messagesOf(step.prompts), context, configs, new PickFirstEvaluation(), tx);
    } else if (step.do === "agent") {
      const tools = step.tools.map((name: string) =>
        createTool({ name, description: name, parameters: { type: "object" }, execute: () => "ok" }),
      );
      const agent = new BasicAgent(config.modelConfig).withTools(tools);
      agent.withProviderOverride(new MockProvider(step.answers.map(answerOf)));
      await agent.promptWithSender(step.prompt, tx);
    } else if (step.do === "event") {
      const { content = [], ...event } = this.named(step.event);
      const { child_loop_id } = event;
      const result =
        event.type === "ToolExecutionEnd" ? { result: { content, details: null, child_loop_id }, is_error: false } : {};
      events.push({ ...defaults[event.type], ...result, ...event });
    } else if (step.do === "flush") this.recorder.flush();
    else if (step.do === "drain") {
      this.drained = this.recorder.drainCompleted();
      expect(this.drained).toHaveLength(step.returns);
    } else if (step.do === "currentLoop") {
      const { loop } = this.named(step);
      expect(this.recorder.currentLoop(loop)?.loop_id ?? null).toBe(step.is === true ? loop : null);
    } else throw new Error(`The play has an unknown step ${String(step.do)}.`);
    this.contexts[number] = context;
    const started = events.filter((event) => event.type === "AgentStart").map(({ loop_id }) => loop_id);
    for (const [branch, id] of started.entries()) this.ids[`$${number}.${branch}`] = id;
    if (started[0] !== undefined) this.ids[`$${number}`] = started[0];
    for (const event of events) if (event.type !== step.without) this.recorder.onEvent(event);
  }
}

/** The record of a loop, with what the entries compare of its messages and events. */
const shownLoop = (record: LoopRecord) => ({
  ...record,
  roles: record.messages.map(({ role }) => role),
  updates: record.events.some(({ event }) => event.type === "MessageUpdate") ? "some" : "none",
  triggers: record.events.flatMap(({ event }) => (event.type === "TurnStart" ? [event.triggered_by] : [])),
});

const idsOf = (records: readonly LoopRecord[]): string[] => records.map(({ loop_id }) => loop_id);

function expectSession(session: Session | undefined, { roots, children = {}, siblings = {}, ...expected }: Any): void {
  expect(Object.assign({}, session, { loops: session?.loops.map(shownLoop) })).toMatchObject(expected);
  if (roots !== undefined) expect(idsOf(session?.rootLoops() ?? [])).toEqual(roots);
  for (const [id, ids] of Object.entries(children)) expect(idsOf(session?.childrenOf(id) ?? [])).toEqual(ids);
  for (const [id, ids] of Object.entries(siblings)) expect(idsOf(session?.parallelSiblings(id) ?? [])).toEqual(ids);
}

/** The functions of the document as a store. */
const functionsOn = (dir: string): SessionStore => ({
  save: async (session) => void (await saveSession(session, dir)),
  load: (id) => loadSession(id, dir),
  listIds: () => listSessionIds(dir),
  delete: (id) => deleteSession(id, dir),
  listForAgent: (agentId) => loadSessionsForAgent(agentId, dir),
});

const stored = ({ session_id, agent_id }: Any): Session => sessionOf(session_id, { agent_id });

async function storeStep(store: SessionStore, step: Any): Promise<void> {
  const { fails } = step;
  if (step.save !== undefined) await store.save(stored(step.save));
  else if (step.saveAtOnce !== undefined) await Promise.all(step.saveAtOnce.map((one: Any) => store.save(stored(one))));
  else if (step.listed !== undefined) expect(await store.listIds()).toEqual(step.listed);
  else if (fails !== undefined)
    expect(await kindOf(step.load === undefined ? store.delete(step.delete) : store.load(step.load))).toBe(fails);
  else if (step.delete !== undefined) await store.delete(step.delete);
  else {
    const { agent_id, ...is } = step.is;
    const session = await store.load(step.load);
    expect(session).toMatchObject(is);
    if (typeof agent_id === "string") expect(session.agent_id).toBe(agent_id);
    else if (agent_id !== undefined)
      expect(session.agent_id.slice(0, agent_id.startsWith.length)).toBe(agent_id.startsWith);
  }
}

const kinds: Record<string, (given: Any, expected: Any) => Promise<void>> = {
  async session({ recorder, steps }, { sessions, stored: loaded }) {
    const play = new RecordedPlay(recorder);
    for (const [number, step] of steps.entries()) await play.step(step, number);
    if (sessions !== undefined) {
      expect(play.recorder.sessions()).toHaveLength(sessions.length);
      play.named(sessions).forEach((one: Any, index: number) => expectSession(play.recorder.sessions()[index], one));
    }
    if (loaded === undefined) return;
    await withFolder(async (dir) => {
      for (const session of play.drained) {
        await saveSession(session, dir);
        expect(await loadSession(session.session_id, dir)).toEqual(session);
      }
    });
    play.named(loaded).forEach((one: Any, index: number) => expectSession(play.drained[index], one));
  },
  async store({ by = "functions", steps }, { ids, ofAgents = {}, files }) {
    await withFolder(async (dir) => {
      const stores: Record<string, SessionStore> = { functions: functionsOn(dir), store: fileSessions({ dir }) };
      const of = (name: string): SessionStore => stores[name] as SessionStore;
      for (const step of steps) await storeStep(of(step.by ?? by), step);
      if (ids !== undefined) expect(await of(by).listIds()).toEqual(ids);
      if (files !== undefined) expect(await readdir(dir)).toEqual(files);
      for (const [agent, wanted] of Object.entries(ofAgents))
        expect((await of(by).listForAgent(agent)).map(({ session_id }) => session_id)).toEqual(wanted);
    });
  },
  async stored_json(given, expected) {
    expect(decodeSession(new TextEncoder().encode(JSON.stringify(given)), given.session_id)).toMatchObject(expected);
  },
};

it.each(entriesOf("session").map((entry) => [entry.id, entry] as const))(
  "The play %s has the records and files that its entry expects",
  async (_id, { kind, given, expect: expected }) => {
    const run = kinds[kind];
    if (run === undefined) throw new Error(`The play has the unknown kind ${kind}.`);
    expect(Object.keys(expected)).not.toEqual([]);
    await run(given, expected);
  },
);
