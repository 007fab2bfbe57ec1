// The stage of tests of deletions: a thread with child threads, objects in the bucket and a run, and parts of the deployment that fail as
// often as a test says.

import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterAll, afterEach, beforeAll, beforeEach } from "vitest";

import type { ThreadRecord } from "#core/record/record.ts";
import type { Bucket } from "#store/files/file-bucket.ts";

import { skipFor } from "../worker/clock.ts";
import { forgetPlans } from "../worker/fault-plan.ts";
import { fileSettings } from "../worker/file-works.ts";
import { onPlace } from "../worker/places.ts";
import type { Place } from "../worker/places.ts";
import { scriptedAnswers } from "../worker/team.ts";
import { beforeAlarms, quietly, untilDone } from "./fault-stage.ts";
import { childOf, resetAgents, waitFor } from "./team-driver.ts";
import { admin, alarmOf, evict, follow, message, newThread, stubOf, value } from "./thread-driver.ts";

const { FILES } = env as unknown as { FILES: R2Bucket };

/** What fails, and how often: the entry's removal, the totals, the bucket, or the message to a child. */
export type Failing = "entry" | "totals" | "bucket" | "child";

/** The thread to delete. */
export interface Staged {
  children: number;
  objects: number;
  /** Whether a run is active; a thread with children has one. */
  running: boolean;
}

/** The object of a thread. */
export const objectOf = (id: string) => env.THREADS.get(env.THREADS.idFromName(id));

/** Failures that remain, and the threads that they concern. */
export const world = { failing: {} as Partial<Record<Failing, number>>, concerned: new Set<string>() };

function fails(what: Failing): boolean {
  const count = world.failing[what] ?? 0;
  world.failing[what] = count - 1;
  return count > 0;
}

/** Fails at a place as planned. */
export function atPlace({ thread, name, to = "" }: Place): Promise<void> | void {
  if (!world.concerned.has(thread)) return;
  const broken =
    (name === "before forget" && fails("entry")) ||
    (name === "before totals" && fails("totals")) ||
    (name === "before remove" && world.concerned.has(to) && fails("child"));
  if (broken) return Promise.reject(new Error(`${name} fails`));
}

/** The bucket of the test, whose lists fail as planned. */
const bucket: Bucket = {
  get: FILES.get.bind(FILES),
  delete: FILES.delete.bind(FILES),
  createMultipartUpload: FILES.createMultipartUpload.bind(FILES),
  list: async (options) => {
    if (world.concerned.has(options?.prefix?.slice(0, -1) ?? "") && fails("bucket"))
      throw new Error("the bucket fails");
    return FILES.list(options);
  },
};

/** Sets the stage up before each test of a file, and takes it down after it. */
export function useDeletionStage(): void {
  let quiet: ReturnType<typeof quietly>;

  beforeAll(() => {
    quiet = quietly();
  });

  beforeEach(() => {
    resetAgents();
    fileSettings.bucket = bucket;
    onPlace(atPlace);
  });

  afterEach(() => {
    onPlace(null);
    forgetPlans();
    delete fileSettings.bucket;
    world.failing = {};
  });

  afterAll(() => quiet.loud());
}

/** Creates the thread of a history. Returns its id and those of its children. */
export async function stage({ children, objects, running }: Staged): Promise<{ id: string; below: string[] }> {
  scriptedAnswers.set("boss", ({ step }) => {
    if (step > 0) return { text: "done" };
    const toolCalls = Array.from({ length: children }, () => ({ name: "panel", arguments: { task: "decide" } }));
    return children > 0 ? { text: "asking", toolCalls } : { text: "done" };
  });
  scriptedAnswers.set("pro", () => new Promise(() => {}));
  const id = await newThread("boss", { user_id: "ada" });
  const following = await follow(id, { after: "0" });
  await value(stubOf(id).call("postMessage", admin, message("go"), null));
  const started = () => following.events.filter(({ type }) => type === "subagent_start");
  if (children > 0) await following.until(() => started().length === children);
  else await following.until(({ type }) => type === "run_end");
  if (children === 0 && running) {
    scriptedAnswers.set("boss", () => new Promise(() => {}));
    await value(stubOf(id).call("postMessage", admin, message("and more"), null));
  }
  following.close();
  const below = started().map(childOf);
  for (const child of below) await waitFor(async () => (await stubOf(child).call("describe", admin)).ok);
  // Their alarms fire only by hand.
  for (const thread of [id, ...below]) skipFor(thread, beforeAlarms);
  for (let n = 0; n < objects; n += 1) await FILES.put(`${id}/${n}`, "bytes");
  return { id, below };
}

/** The row of a thread; null if the thread does not exist. */
export function rowOf(id: string): Promise<ThreadRecord | null> {
  return untilDone(() =>
    runInDurableObject(objectOf(id), (_, { storage }) => {
      const tables = storage.sql.exec("SELECT name FROM sqlite_master WHERE name = 'thread'").toArray();
      const [row] = tables.length === 0 ? [] : storage.sql.exec<{ body: string }>("SELECT body FROM thread").toArray();
      return row === undefined ? null : (JSON.parse(row.body) as ThreadRecord);
    }),
  );
}

/** Writes ids of child threads that do not exist into the row of a thread, and returns them. */
export async function addChildren(id: string, count: number): Promise<string[]> {
  const children = Array.from({ length: count }, () => crypto.randomUUID());
  await evict(id);
  await runInDurableObject(objectOf(id), (_, { storage }) => {
    const { body } = storage.sql.exec<{ body: string }>("SELECT body FROM thread").one();
    storage.sql.exec("UPDATE thread SET body = ?", JSON.stringify({ ...JSON.parse(body), children }));
  });
  await evict(id);
  return children;
}

/** Everything that is wrong with the end of a history. */
export async function problemsOf(ids: readonly string[]): Promise<string[]> {
  const problems: string[] = [];
  for (const id of ids) {
    const answer = await untilDone(() => stubOf(id).call("describe", admin));
    if (answer.ok) problems.push(`${id} lives`);
    if ((await rowOf(id)) !== null) problems.push(`${id} has rows`);
    if ((await untilDone(() => alarmOf(id))) !== null) problems.push(`${id} has an alarm`);
    const entries = env.CATALOG.prepare("SELECT count(*) AS n FROM thread WHERE id = ?1 OR parent_id = ?1").bind(id);
    if ((await entries.first<number>("n")) !== 0) problems.push(`${id} is listed`);
    if ((await FILES.list({ prefix: `${id}/` })).objects.length > 0) problems.push(`${id} has objects in the bucket`);
    const twice = env.CATALOG.prepare(
      "SELECT count(*) AS n FROM (SELECT 1 FROM run_total WHERE thread_id = ?1 GROUP BY run_id, model HAVING count(*) > 1)",
    );
    if ((await twice.bind(id).first<number>("n")) !== 0) problems.push(`a run of ${id} is counted twice`);
  }
  return problems;
}
