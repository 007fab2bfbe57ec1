// Checkpoints in the files of a real thread, as an agent in a tool of the thread stores them.

import { exports } from "cloudflare:workers";
import { expect, it } from "vitest";

import { AgentState } from "#facade/uap/agent-state.ts";
import type { CheckpointStore } from "#facade/uap/checkpoint-store.ts";
import { threadCheckpoints } from "#facade/uap/checkpoint/thread-checkpoints.ts";
import type { ThreadState } from "#spec/index.ts";

import { describeStore, stateOf } from "../support/checkpoint-contract.ts";
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

const withStore = async (work: (store: Required<CheckpointStore>, state: ThreadState) => Promise<void>) => {
  const id = await newThread("filer");
  await inThread(id, (state) => work(threadCheckpoints(state), state));
};

describeStore("The store of a thread's files", withStore);

it("A checkpoint session is stored as one file under /.checkpoints of the thread, with its session id and its step as the file's metadata", () =>
  withStore(async (store, state) => {
    const saved = stateOf(4);
    await store.save("my-session", saved.toJSON());
    const { entries } = await state.readdirFile("/.checkpoints");
    expect(entries).toMatchObject([
      {
        path: "/.checkpoints/my-session.json",
        mimeType: "application/json",
        metadata: { sessionId: "my-session", step: 4 },
      },
    ]);
    const bytes = await state.readFile("/.checkpoints/my-session.json");
    expect(new TextDecoder().decode(bytes ?? new ArrayBuffer())).toBe(JSON.stringify(saved));
  }));

it("A stored checkpoint can be loaded in a later call on the same thread, and another thread does not list it", async () => {
  const [id, other] = [await newThread("filer"), await newThread("filer")];
  const saved = stateOf(2, "x".repeat(3_000_000));
  await inThread(id, (state) => threadCheckpoints(state).save("s", saved.toJSON()));
  await inThread(id, async (state) => {
    const loaded = await threadCheckpoints(state).load("s");
    expect(JSON.stringify(AgentState.fromJSON(loaded))).toBe(JSON.stringify(saved));
  });
  await inThread(other, async (state) => {
    expect(await threadCheckpoints(state).list()).toEqual([]);
  });
});

it("The list of checkpoints omits other files in the folder /.checkpoints, and the metadata of a checkpoint file without metadata is read from its state", () =>
  withStore(async (store, state) => {
    const saved = stateOf(9);
    await state.writeFile("/.checkpoints/Notes.json", "{}", "application/json");
    await state.writeFile("/.checkpoints/notes.txt", "", "text/plain");
    await state.mkdirFile("/.checkpoints/folder.json");
    await state.writeFile("/.checkpoints/s.json", JSON.stringify(saved), "application/json");
    expect(await store.list()).toEqual(["s"]);
    const metadata = await store.loadMetadata("s");
    expect(metadata).toMatchObject({ sessionId: "s", checkpointId: saved.id, step: 9 });
    expect(new Date(metadata?.timestamp ?? "").toISOString()).toBe(metadata?.timestamp);
  }));

it("The load of a damaged checkpoint file fails with an error that names the session", () =>
  withStore(async (store, state) => {
    await state.writeFile("/.checkpoints/s.json", "half a checkp", "application/json");
    await expect(store.load("s")).rejects.toMatchObject({
      code: "INVALID_REQUEST",
      message: expect.stringContaining('session "s" is damaged'),
    });
  }));
