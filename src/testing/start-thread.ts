// Starts a thread for a test: with its own user, its own script, and the client of the public API.

import { ThreadholdClient } from "#client/index.ts";
import type { NewThread } from "#client/index.ts";
import type { WorkerEnv } from "#spec/index.ts";

import { putScript, Script } from "./script.ts";
import type { Answers } from "./scripted-answer.ts";
import type { ScriptedFetch, Sources } from "./scripted-source.ts";
import { checkSources } from "./test-sources.ts";
import { TestThread } from "./test-thread.ts";
import { testApi } from "./test-worker.ts";
import { checkUnusedAtEnd } from "./unused-answers.ts";

/** Options of `startThread`, besides the fields of the request that creates the thread. */
export interface StartOptions extends Omit<NewThread, "agent_id" | "user_id"> {
  /**
   * The answers of all models, in order of the requests, or lists by the name of the prompt. Default: models of the provider `test` answer
   * by the scripts of their definitions, and a request to any other model is an error.
   */
  answers?: Answers;
  /** The id of the user who owns the thread. Default: a new user for each thread. */
  user_id?: string;
  /**
   * Values of `state.env` for this thread and its child threads, by name. They replace the bindings, variables and secrets of the
   * environment in which the tests run.
   */
  env?: Partial<WorkerEnv>;
  /**
   * The tools of MCP servers and OpenAPI documents, by the names of their definitions: `{ shipping: { quote: ({ weight }) => … } }`. A source
   * that is not listed is off: its tools are not offered. No request is sent.
   */
  sources?: Sources;
  /**
   * Answers the requests that tools, hooks and other code of the thread send by `fetch` or `state.fetch`. Without it, or if it returns
   * undefined, a request fails the turn.
   */
  fetch?: ScriptedFetch;
  /** Whether the test may end before every answer of a list is used. Default: an unused answer is an error. */
  allowUnusedAnswers?: boolean;
  /** Milliseconds after which a turn that neither ends nor waits, or a check, is an error. Default 10,000. */
  timeoutMs?: number;
}

/** Starts a thread with an agent of the project. */
export async function startThread(agent: NewThread["agent_id"], options: StartOptions = {}): Promise<TestThread> {
  const {
    answers,
    env,
    sources,
    fetch,
    user_id = `user-${crypto.randomUUID()}`,
    timeoutMs = 10_000,
    allowUnusedAnswers = false,
    ...fields
  } = options;
  if (sources !== undefined) checkSources(sources);
  const client = new ThreadholdClient({
    url: "https://threadhold.test",
    token: user_id,
    fetch: testApi(),
    WebSocket: null,
  });
  const { id } = await client.threads.create({ ...fields, agent_id: agent });
  const script = new Script(answers, { env, sources, fetch });
  putScript(id, script);
  if (!allowUnusedAnswers) checkUnusedAtEnd(script);
  return new TestThread(id, { client, script, timeoutMs });
}
