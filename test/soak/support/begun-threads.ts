// Threads that one build starts and another one has to finish: idle, in a stream, in each kind of tool, with a queue,
// in a back-off, and waiting for a child thread. The server of the first build is killed while the threads are in these
// states.

import { expect } from "vitest";

import type { Run } from "#contract/run.ts";
import type { Message } from "#contract/thread-message.ts";

import { ApiClient } from "../../support/http-client/api-client.ts";
import type { Actor } from "./actor.ts";
import { comeBack, say } from "./company.ts";
import type { Script } from "./script.ts";
import { startSoakServer } from "./soak-server.ts";
import { servedBy, type Soak } from "./soak.ts";
import type { StopPoint } from "./stage.ts";
import { talk } from "./stop-points.ts";

/** The names of the threads. */
export const threadNames = ["rest", "stream", "queue", "backoff", "pay", "book", "ship", "child"] as const;
export type ThreadName = (typeof threadNames)[number];

const inStream: StopPoint = { at: ["delta"], part: 0.5, skip: 0, hold: true };
const inTool: StopPoint = { at: ["effect_done"], part: 0, skip: 0, hold: true };
/** The point at which each thread is paused when the server is killed. Threads that are not listed are idle or wait. */
const stopPoints: readonly (readonly [ThreadName, StopPoint])[] = [
  ["stream", inStream],
  ["queue", inStream],
  ["pay", inTool],
  ["book", inTool],
  ["ship", inTool],
  // The first stream that is the last of its run belongs to the child thread, because its caller is suspended.
  ["child", { ...inStream, lastStream: true }],
];
const withTools: Script = { ...talk(10), steps: [{ tools: ["pay", "book", "ship"] }, { words: 10 }] };
const notePath = "/files/notes/cat.txt";
/** The text of the note in the idle thread's files. */
export const note = "The cat is called Ada.\n";

/** What the API shows of the idle thread. */
export interface Look {
  messages: Message[];
  runs: Run[];
  /** Its messages, newest first, in pages of three. */
  pages: unknown[];
}

export function actorCalled({ actors }: Soak, name: ThreadName): Actor {
  const found = actors.find((one) => one.name === name);
  if (found === undefined) throw new Error(`No thread is called ${name}`);
  return found;
}

/** Reads what the API shows of the idle thread. */
export async function lookAtRest(soak: Soak, api: ApiClient): Promise<Look> {
  const { id } = actorCalled(soak, "rest");
  const pages: unknown[] = [];
  for (let cursor = ""; pages.length < 20;) {
    const { body } = await api.call("GET", `/api/threads/${id}/messages?limit=3&order=desc${cursor}`);
    pages.push(body);
    const next = (body as { next_cursor?: string | null }).next_cursor;
    if (typeof next !== "string") break;
    cursor = `&cursor=${encodeURIComponent(next)}`;
  }
  return { messages: await api.messages(id), runs: await api.runs(id), pages };
}

/** Reads the text of its note. */
export async function readNote(soak: Soak, api: ApiClient): Promise<string> {
  return (await api.call("GET", `/api/threads/${actorCalled(soak, "rest").id}${notePath}`)).text;
}

/** Lets the build at `root` start the threads, and kills it. Returns what the API showed of the idle thread. */
export async function beginThreads(soak: Soak, root: string): Promise<Look> {
  soak.stage.begin(new Map(stopPoints));
  soak.observer.begin("client");
  const server = await startSoakServer(servedBy(soak, root));
  let before: Look;
  try {
    const api = new ApiClient(server.url);
    await comeBack(soak, api);
    before = await fillThreadAtRest(soak, api);
    await startOthers(soak, api);
  } finally {
    await server.kill();
  }
  soak.stage.end();
  for (const { follower } of soak.actors) await follower.detach();
  return before;
}

async function fillThreadAtRest(soak: Soak, api: ApiClient): Promise<Look> {
  const first = actorCalled(soak, "rest");
  for (const script of [talk(12), withTools, talk(400)]) {
    const { runId } = await say(api, first, script);
    await first.follower.feed?.until("run_end", ({ run_id }) => run_id === runId);
  }
  const headers = { "content-type": "text/plain" };
  const sent = await api.call("PUT", `/api/threads/${first.id}${notePath}`, { body: note, headers });
  expect(sent.status).toBeLessThan(300);
  return lookAtRest(soak, api);
}

async function startOthers(soak: Soak, api: ApiClient): Promise<void> {
  const { stage } = soak;
  await say(api, actorCalled(soak, "stream"), talk(30));
  for (const script of [talk(30), withTools, talk(8)]) await say(api, actorCalled(soak, "queue"), script);
  for (const tool of ["pay", "book", "ship"] as const) {
    await say(api, actorCalled(soak, tool), { ...talk(9), steps: [{ tools: [tool] }, { words: 9 }] });
  }
  await say(api, actorCalled(soak, "child"), { ...talk(9), steps: [{ tools: ["helper"] }, { words: 9 }] });
  const waiting = actorCalled(soak, "backoff");
  await say(api, waiting, { ...talk(12), refusedFor: 12 });
  await waiting.follower.feed?.until("model_retry");
  await actorCalled(soak, "stream").follower.feed?.untilCount("text_delta", 1);
  expect(await stage.until(() => stopPoints.every(([name]) => stage.reached.has(name)))).toBe(true);
}
