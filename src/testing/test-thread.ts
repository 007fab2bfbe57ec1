// A thread under test. A turn is sent by the client of the public API and awaited until its run ends or waits for an approval or a client.
// After each turn the invariants of the transcript are checked.

import { openCallsAfter } from "#client/follow/open-calls.ts";
import { ThreadholdNetworkError } from "#client/index.ts";
import type {
  Files,
  JsonObject,
  Json,
  Message,
  NewMessage,
  OpenCall,
  Run,
  ThreadEvent,
  ThreadHandle,
  ThreadholdClient,
  ToolResultsTaken,
  ToolView,
} from "#client/index.ts";
import { isFinished } from "#contract/finished.ts";
import { foldAll } from "#contract/fold.ts";
import { untilAborted } from "#models/read-stream.ts";

import { restartObject, runInObject } from "./object.ts";
import type { Script } from "./script.ts";
import type { RecordedRequest } from "./scripted-answer.ts";
import { orderProblems, transcriptProblems } from "./transcript-invariants.ts";

/** What happened in a turn: the run as it is now, which has ended or waits, and its calls and events. */
export interface Turn extends Run {
  /** The tool calls of the turn, in order, with their results. */
  toolCalls: ToolView[];
  /** The calls that wait for a client's result, an approval or a higher limit, and open questions. */
  pending: readonly OpenCall[];
  /** The events of the turn, in order. */
  events: ThreadEvent[];
}

/** Fields of a message besides its content. */
export type SendOptions = Omit<NewMessage, "content" | "run">;

/** Dependencies of a thread under test. */
interface Ports {
  client: ThreadholdClient;
  script: Script;
  timeoutMs: number;
}

/** The maximum number of times that a stream of events may break or end early during one turn. */
const mostBreaks = 10;

/** Milliseconds to wait for the state of the thread, which is part of an error. Then the error is thrown without the state. */
const stateMs = 2000;

/** A thread under test. */
export class TestThread {
  readonly id: string;
  /** The client of the thread's owner. */
  readonly client: ThreadholdClient;
  /** The client's handle of the thread, for operations that this class does not have. */
  readonly handle: ThreadHandle;
  /** The events so far, without a gap, in order. Complete after each turn. */
  readonly events: ThreadEvent[] = [];
  readonly #ports: Ports;
  readonly #problems: string[] = [];
  readonly #children = new Map<string, TestThread>();

  constructor(id: string, ports: Ports) {
    this.id = id;
    this.client = ports.client;
    this.handle = ports.client.thread(id);
    this.#ports = ports;
  }

  /** The files of the thread. */
  get files(): Files {
    return this.handle.files;
  }

  /** The requests to models, in order, including those of child threads. */
  get requests(): readonly RecordedRequest[] {
    return this.#ports.script.requests;
  }

  /**
   * The threads that this thread started for calls of agents, in order. Each turn of this thread reads their events and checks them too.
   */
  get children(): TestThread[] {
    for (const { id, parent } of this.#ports.script.children)
      if (parent === this.id && !this.#children.has(id)) this.#children.set(id, new TestThread(id, this.#ports));
    return [...this.#children.values()];
  }

  /** The stored messages, oldest first. Silent messages are included. */
  async messages(): Promise<Message[]> {
    const all: Message[] = [];
    for await (const message of this.handle.messages.list({ order: "asc", include_silent: true, limit: 1000 }))
      all.push(message);
    return all;
  }

  /** Sends a message. Resolves when its run has ended or waits for an approval or a client. */
  send(content: NewMessage["content"], options: SendOptions = {}): Promise<Turn> {
    return this.#turn(async () => {
      const { run } = await this.handle.messages.post({ ...options, content });
      if (run === null)
        throw new TypeError("The message starts no run; use `handle.messages.post` to store a message only.");
      return { runId: run.id };
    });
  }

  /** Starts a run without a message. */
  continue(options: Parameters<ThreadHandle["runs"]["post"]>[0] = {}): Promise<Turn> {
    return this.#turn(async () => {
      const run = await this.handle.runs.post(options);
      if (run === null) throw new TypeError("No run was started, because nothing is queued.");
      return { runId: run.id };
    });
  }

  /** Approves a call, with changed arguments if the tool permits it. Default: the only call that waits. */
  approve(call?: string | { id: string }, args?: JsonObject): Promise<Turn> {
    return this.#resume(call, (id) => this.handle.tools.approve(id, { args }));
  }

  /** Declines a call that waits for an approval. */
  decline(call?: string | { id: string }, reason?: string): Promise<Turn> {
    return this.#resume(call, (id) => this.handle.tools.decline(id, reason));
  }

  /** Answers a call of a remote tool. */
  answer(call: string | { id: string } | undefined, result: Json): Promise<Turn> {
    return this.#resume(call, (id) => this.handle.tools.answer(id, result));
  }

  /** Stops the active run. */
  async stop(): Promise<void> {
    await this.handle.stop();
  }

  /** Waits until `count` answers are held open (`hold`): more than one if prompts or child threads run at the same time. */
  async held(count = 1): Promise<void> {
    const { script, timeoutMs } = this.#ports;
    const late = AbortSignal.timeout(timeoutMs);
    while (script.heldCount < count) {
      if (late.aborted) {
        const held =
          script.heldCount === 0 ? "No answer is" : `Only ${String(script.heldCount)} of ${String(count)} answers are`;
        throw new Error(`${held} held after ${String(timeoutMs)} ms. ${await this.#state()}`);
      }
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
  }

  /** Ends the answers that are held open. */
  async release(): Promise<void> {
    const { script } = this.#ports;
    const { heldThreads } = script;
    if (heldThreads.length === 0) throw new Error("No answer is held; wait for `held()` first.");
    await Promise.all(heldThreads.map((id) => runInObject(id, () => script.release(id))));
  }

  /** Restarts the thread's object as a crash does: its memory is lost, and it continues from its rows. A held answer is lost. */
  async restart(): Promise<void> {
    await restartObject(this.id);
    this.#ports.script.drop(this.id);
    // A request loads the object, which then resumes its run.
    await this.handle.get();
  }

  /**
   * Checks the invariants of the transcript and of the child threads, as every turn does. Throws an error that lists the violations. A
   * check that takes longer than `timeoutMs` is an error too.
   */
  check(): Promise<void> {
    return this.#check(AbortSignal.timeout(this.#ports.timeoutMs));
  }

  async #check(late: AbortSignal): Promise<void> {
    for (const child of this.children) await child.#check(late);
    const problems = await untilAborted(this.#findProblems(late), late).catch(async (thrown: unknown) => {
      if (!late.aborted) throw thrown;
      const { timeoutMs } = this.#ports;
      throw new Error(
        `The check of the thread ${this.id} did not end within ${String(timeoutMs)} ms. ${await this.#state()}`,
      );
    });
    if (problems.length === 0) return;
    throw new Error(
      `The transcript of the thread ${this.id} is broken:\n${problems.map((each) => `- ${each}`).join("\n")}`,
    );
  }

  async #findProblems(signal: AbortSignal): Promise<string[]> {
    const { active_run_id, last_seq: lastSeq } = await this.handle.get();
    const replayed: ThreadEvent[] = [];
    if (lastSeq > 0)
      for await (const event of this.handle.events({ after: 0, silent: true, until: "idle", signal })) {
        replayed.push(event);
        if (event.seq > this.#lastSeq) this.events.push(event);
        // The stream of an idle thread ends.
        if (active_run_id !== null && event.seq >= lastSeq) break;
      }
    const found =
      active_run_id === null
        ? transcriptProblems({ events: replayed, messages: await this.messages(), lastSeq })
        : orderProblems(replayed, 0);
    return [...this.#problems, ...found];
  }

  /** Answers a waiting call, and follows the run that continues. */
  async #resume(
    call: string | { id: string } | undefined,
    post: (callId: string) => Promise<ToolResultsTaken>,
  ): Promise<Turn> {
    const id = typeof call === "object" ? call.id : (call ?? (await this.#onlyPending()));
    return this.#turn(async () => {
      const { run, missing } = await post(id);
      return { runId: run.id, waits: missing.length > 0 };
    });
  }

  async #onlyPending(): Promise<string> {
    const { pending_tool_calls: calls } = await this.handle.get();
    const [only, ...more] = calls;
    if (only !== undefined && more.length === 0) return only.id;
    const names = calls.map(({ id, name }) => `${name} (${id})`).join(", ");
    throw new Error(
      only === undefined ? `No call waits. ${await this.#state()}` : `Several calls wait; name one of ${names}.`,
    );
  }

  /** Begins a turn, follows its run until it has ended or waits, and checks the invariants. */
  async #turn(begin: () => Promise<{ runId: string; waits?: boolean }>): Promise<Turn> {
    const { script, timeoutMs } = this.#ports;
    const first = this.#lastSeq;
    const { runId, waits = false } = await begin();
    const isOver = (): boolean =>
      waits || this.events.some((event) => event.seq > first && event.run_id === runId && isEnd(event));
    const late = AbortSignal.timeout(timeoutMs);
    try {
      await this.#read(isOver, late);
    } catch (thrown) {
      if (!late.aborted) throw thrown;
      script.throwFaults(
        `The run ${runId} neither ended nor waited within ${String(timeoutMs)} ms. ${await this.#state()}`,
      );
    }
    script.throwFaults();
    await this.check();
    return this.#turnSince(first, await this.handle.runs.get(runId));
  }

  #turnSince(first: number, run: Run): Turn {
    const events = this.events.filter(({ seq }) => seq > first);
    const { tools } = foldAll(this.events);
    const calls = new Set(events.flatMap((event) => ("tool_call_id" in event ? [event.tool_call_id] : [])));
    const toolCalls = Object.values(tools).filter(({ tool_call_id }) => calls.has(tool_call_id));
    const pending = isFinished(run.status) ? [] : this.events.reduce(openCallsAfter, []);
    return { ...run, toolCalls, pending, events };
  }

  get #lastSeq(): number {
    return this.events.at(-1)?.seq ?? 0;
  }

  /** Reads events until the condition holds. A stream that breaks, because the object was restarted, is opened again. */
  async #read(isOver: () => boolean, signal: AbortSignal): Promise<void> {
    for (let breaks = 0; !isOver(); breaks += 1) {
      const after = this.#lastSeq;
      const stream: ThreadEvent[] = [];
      try {
        for await (const event of this.handle.events({ after, silent: true, until: "idle", signal })) {
          stream.push(event);
          // Turns that overlap read the same events.
          if (event.seq > this.#lastSeq) this.events.push(event);
          if (isOver()) break;
        }
      } catch (thrown) {
        if (!(thrown instanceof ThreadholdNetworkError) || breaks >= mostBreaks) throw thrown;
      }
      this.#problems.push(...orderProblems(stream, after));
      if (breaks >= mostBreaks) throw new Error(`The thread is idle, and its run has no end. ${await this.#state()}`);
    }
  }

  /** The state of the thread as a sentence, for errors. */
  #state(): Promise<string> {
    return untilAborted(this.#readState(), AbortSignal.timeout(stateMs)).catch(
      (thrown: unknown) => `The thread does not answer: ${String(thrown)}.`,
    );
  }

  async #readState(): Promise<string> {
    const { script } = this.#ports;
    const { status, active_run_id, pending_tool_calls: calls } = await this.handle.get();
    const { items } = await this.handle.queue.list();
    const last = script.requests.at(-1);
    const waiting = new Set(calls.map(({ id }) => id));
    const running = Object.values(foldAll(this.events).tools).filter(
      ({ tool_call_id: id, running: isRunning }) => isRunning && !waiting.has(id),
    );
    const facts = [
      `The thread is ${status}${active_run_id === null ? "" : ` with the run ${active_run_id}`}`,
      ...calls.map(({ id, name, kind }) => `the call ${id} of ${name} waits for ${waitsFor[kind]}`),
      ...running.map(
        ({ tool_call_id, tool_name }) => `the call ${tool_call_id} of the tool ${tool_name} has no result yet`,
      ),
      ...script.inProgress.map((label) => `the thread waits for ${label}`),
      ...(items.length === 0 ? [] : [`${String(items.length)} messages are queued`]),
      ...script.heldThreads.map((id) => `the answer to the thread ${id} is held until release(), restart() or stop()`),
      last === undefined
        ? "no model received a request"
        : `the last of ${String(script.requests.length)} requests went to the model "${last.model}" for the prompt "${last.prompt}"`,
      ...script.log.map((line) => `the log has ${line}`),
    ];
    return `${facts.join("; ")}.`;
  }
}

const waitsFor = {
  approval: "approve() or decline()",
  remote: "answer()",
  limit: "a higher limit",
  question: "handle.tools.answer()",
} as const;

/** Whether an event ends a turn: the run has ended, or waits for a client. */
function isEnd(event: ThreadEvent): boolean {
  return event.type === "run_end" || (event.type === "awaiting_tool_execution" && event.tool_calls.length > 0);
}
