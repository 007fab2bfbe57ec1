// Sessions in the files of a real thread, as an agent in a tool of the thread stores them.

import { exports } from "cloudflare:workers";
import { describe, expect, it } from "vitest";

import { BasicAgent, ModelConfig } from "#facade/phi/index.ts";
import { MockProvider } from "#facade/phi/provider/mock-provider.ts";
import { SessionError, SessionRecorder, sessionStoreContract, threadSessions } from "#facade/phi/session/index.ts";
import type { SessionStore } from "#facade/phi/session/index.ts";
import type { ThreadState } from "#spec/index.ts";

import { fileFunctions } from "../worker/file-works.ts";
import { newThread } from "./thread-driver.ts";

/** Calls `work` with the state of a thread. */
async function inThread(id: string, work: (state: ThreadState) => Promise<void>): Promise<void> {
  const name = crypto.randomUUID();
  let outcome: { error: unknown } | "passed" | "not called" = "not called";
  fileFunctions.set(name, async (state) => {
    outcome = await work(state).then(
      () => "passed" as const,
      (error: unknown) => ({ error }),
    );
  });
  const path = `http://localhost/api/threads/${id}/work-files?name=${name}`;
  await exports.default.fetch(new Request(path, { method: "POST" }));
  const ended = outcome as { error: unknown } | string;
  if (typeof ended === "object") throw ended.error;
  expect(ended).toBe("passed");
}

const withStore = async (work: (store: SessionStore, state: ThreadState) => Promise<void>) => {
  const id = await newThread("filer");
  await inThread(id, (state) => work(threadSessions(state), state));
};

describe("the contract in the files of a thread", () => {
  for (const { name, run } of sessionStoreContract(withStore)) it(name, run);
});

it("A session that an agent records in a thread is one file under /.sessions with its agent, and a later call on the thread continues it", async () => {
  const id = await newThread("filer");
  const provider = () => MockProvider.texts(["Hello."]);
  let snapshot: ReturnType<BasicAgent["checkpoint"]> | null = null;
  const work = async (state: ThreadState): Promise<void> => {
    const agent = new BasicAgent(ModelConfig.anthropic("mock-model", "Mock", "key")).withProviderOverride(provider());
    const store = threadSessions(state);
    const recorder = new SessionRecorder();
    if (snapshot !== null) {
      agent.restore(snapshot);
      recorder.resume(await store.load(agent.sessionId));
    }
    for await (const event of agent.prompt("Hi.")) recorder.onEvent(event);
    for (const session of recorder.drainCompleted()) await store.save(session);
    snapshot = agent.checkpoint();
  };
  await inThread(id, work);
  await inThread(id, work);
  await inThread(id, async (state) => {
    const [session, ...others] = await threadSessions(state).listForAgent(snapshot?.agent_id ?? "");
    expect(others).toEqual([]);
    expect(session?.loops.map(({ loop_id, status }) => [loop_id.split(".").at(-1), status])).toEqual([
      ["1", "Completed"],
      ["2", "Completed"],
    ]);
    expect((await state.readdirFile("/.sessions")).entries).toMatchObject([
      {
        path: `/.sessions/${session?.session_id}.json`,
        mimeType: "application/json",
        metadata: { session_id: session?.session_id, agent_id: snapshot?.agent_id },
      },
    ]);
  });
});

it("The list of a thread's sessions omits other files and folders under /.sessions, and a failure of the files has the kind Io", () =>
  withStore(async (store, state) => {
    await state.writeFile("/.sessions/notes.txt", "x", "text/plain");
    await state.writeFile("/.sessions/a b.json", "{}", "application/json");
    await state.mkdirFile("/.sessions/folder.json");
    expect(await store.listIds()).toEqual([]);
    await expect(store.load("folder")).rejects.toBeInstanceOf(SessionError);
    const broken = threadSessions({ ...state, statFile: () => Promise.reject(new Error("The files are gone.")) });
    await expect(broken.listIds()).rejects.toMatchObject({
      kind: "Io",
      message: expect.stringContaining("The files are gone.") as string,
    });
  }));
