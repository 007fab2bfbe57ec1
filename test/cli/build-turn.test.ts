// Builds of one folder at the same time: one runs, the newest waits, and a killed one has no effect on the others.

import { type ChildProcess, spawn } from "node:child_process";
import { readdirSync } from "node:fs";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";

import { describe, expect, it, onTestFinished, vi } from "vitest";

import { buildAfterOthers, buildUnlessReplaced } from "#cli/build-turn.ts";
import { readText, takeLock } from "#cli/process-lock.ts";

import { good, packageRoot, writeFiles, writeProject } from "../compiler/temporary-project.ts";

const patient = { timeout: 60_000, interval: 10 };

const turnFile = (root: string, name: string): string => join(root, ".cache/build", name);

/** Builds of one folder in this process, each of which the test ends. */
function stage() {
  const root = writeProject({});
  const ends: (() => void)[] = [];
  const begun: string[] = [];
  const state = { running: 0, most: 0, last: 0, replaced: [] as string[], waits: [] as number[] };
  const work =
    (name: string) =>
    async (isReplaced: () => boolean = () => false): Promise<string> => {
      begun.push(name);
      state.most = Math.max(state.most, ++state.running);
      await new Promise<void>((resolve) => ends.push(resolve));
      if (isReplaced()) state.replaced.push(name);
      state.running -= 1;
      return name;
    };
  return {
    root,
    begun,
    state,
    build: (name: string) =>
      buildUnlessReplaced(root, {
        build: work(name),
        onLast: () => void (state.last += 1),
        onLongWait: (pid) => void state.waits.push(pid),
        patience: 0,
      }),
    buildStrictly: (name: string) => buildAfterOthers(root, work(name)),
    /** Ends the piece of work with this number when it has begun. */
    end: async (piece: number): Promise<void> => {
      const end = await vi.waitFor(() => ends[piece - 1] ?? Promise.reject(new Error("It has not begun.")));
      end();
    },
  };
}

it("Of sixty builds that start during a build, the newest waits, all others end without work, and the folder is left without a lock", async () => {
  const { root, begun, state, build, end } = stage();
  const first = build("first");
  let before: Promise<string | undefined> | undefined;
  for (let at = 1; at <= 60; at += 1) {
    const next = build(String(at));
    if (before !== undefined) expect(await before).toBeUndefined();
    before = next;
  }
  expect([begun, state.last]).toEqual([["first"], 0]);
  await end(1);
  expect(await first).toBe("first");
  await end(2);
  expect(await before).toBe("60");
  // The last build restarts that of wrangler once, because builds ended without work. The first one prints nothing.
  const { waits, ...counts } = state;
  expect([begun, counts]).toEqual([["first", "60"], { running: 0, most: 1, last: 1, replaced: ["first"] }]);
  // Each build that waits longer than its patience names the one that runs, once.
  expect(waits).toEqual(Array(60).fill(process.pid));
  const alone = build("alone");
  await end(3);
  await alone;
  expect([state.last, readdirSync(join(root, ".cache/build"))]).toEqual([1, []]);
});

it("Builds that have to run wait for each other and for the build of a development server, and none of them is left out", async () => {
  const { begun, state, build, buildStrictly, end } = stage();
  const strict = ["a", "b", "c"].map((name) => buildStrictly(name));
  const replaced = build("replaced");
  const newest = build("newest");
  expect(await replaced).toBeUndefined();
  for (const piece of [1, 2, 3, 4]) await end(piece);
  expect(await Promise.all(strict)).toEqual(["a", "b", "c"]);
  expect(await newest).toBe("newest");
  expect([begun.toSorted(), state.most]).toEqual([["a", "b", "c", "newest"], 1]);
});

it("A build that fails gives the lock to the one that waits", async () => {
  const { root, build, end, begun } = stage();
  let fail = (_error: Error): void => undefined;
  const failure = new Promise<never>((_resolve, reject) => (fail = reject));
  const failing = buildUnlessReplaced(root, {
    build: () => failure,
    onLast: () => undefined,
    onLongWait: () => undefined,
  });
  const next = build("next");
  fail(new Error("no memory"));
  await expect(failing).rejects.toThrow("no memory");
  await end(1);
  expect([await next, begun]).toEqual(["next", ["next"]]);
});

// Above every pid of a Linux or macOS kernel, so no process has it.
const killed = `${String(2 ** 30)}\n\nkilled\n`;

it("A build runs again if a build that waited for it was killed, and a killed build that waited replaces no other", async () => {
  const { root, begun, build, end } = stage();
  const first = build("first");
  await vi.waitFor(() => expect(begun).toEqual(["first"]));
  writeFiles(root, { ".cache/build/waiting": killed });
  await end(1);
  await end(2);
  await first;
  expect(begun).toEqual(["first", "first"]);
  const second = build("second");
  const waiting = build("waiting");
  const waits = (): void => expect(readText(turnFile(root, "waiting"))).toContain(`${String(process.pid)}\n`);
  await vi.waitFor(waits);
  writeFiles(root, { ".cache/build/waiting": killed });
  await vi.waitFor(waits);
  await end(3);
  await end(4);
  expect([await second, await waiting]).toEqual(["second", "waiting"]);
});

describe("processes of the command build", () => {
  it("A build with --auto that no development server started waits for its turn and is never left out", async () => {
    const root = writeProject(good);
    const lock = holdLock(root);
    const builds = [startBuild(root, ""), startBuild(root, "")];
    for (const { output } of builds) await vi.waitFor(() => expect(output()).toContain("Another build of"), patient);
    lock.release();
    expect(await Promise.all(builds.map(({ ended }) => ended))).toEqual([0, 0]);
    for (const { output } of builds) expect(output()).toMatch(/compiled 4 definitions|have not changed/);
  });

  it("While one process compiles, of twenty others the newest waits, the others end with code 0 and print nothing, and it compiles the newest files", async () => {
    const { root, loads, write, start } = await reportingProject();
    const lock = holdLock(root);
    const builds = Array.from({ length: 20 }, () => start());
    const ended: Build[] = [];
    for (const build of builds) void build.ended.then(() => ended.push(build));
    await vi.waitFor(() => expect(ended).toHaveLength(19), patient);
    expect(await Promise.all(ended.map(async (build) => [await build.ended, build.output()]))).toEqual(
      ended.map(() => [0, ""]),
    );
    expect(loads).toEqual([]);
    const waiting = builds.find((build) => !ended.includes(build));
    write("newest");
    lock.release();
    await answer(loads, 1);
    expect([await waiting?.ended, waiting?.output()]).toEqual([0, expect.stringMatching(/^compiled 5 definitions/)]);
    expect(loads.map(({ pid, text }) => [pid, text])).toEqual([[waiting?.child.pid, "newest"]]);
  });

  it("The lock of a build that was killed is taken over by the build that waits", async () => {
    const { root, loads, start } = await reportingProject();
    const killedOne = start();
    await begins(loads, 1);
    const next = start();
    await waits(root, next);
    killedOne.child.kill("SIGKILL");
    await answer(loads, 2);
    expect([await next.ended, next.output()]).toEqual([0, expect.stringMatching(/^compiled 5 definitions/)]);
    expect(loads.map(({ pid }) => pid)).toEqual([killedOne.child.pid, next.child.pid]);
  });

  it("The changes that a killed waiting build was started for are compiled by the build that runs", async () => {
    const { root, loads, write, start } = await reportingProject();
    const running = start();
    await begins(loads, 1);
    write("newest");
    const waiting = start();
    await waits(root, waiting);
    waiting.child.kill("SIGKILL");
    await waiting.ended;
    await answer(loads, 1);
    await answer(loads, 2);
    expect(await running.ended).toBe(0);
    expect(loads.map(({ pid, text }) => [pid, text])).toEqual([
      [running.child.pid, "first"],
      [running.child.pid, "newest"],
    ]);
  });

  it("Builds of a deploy wait for the lock, compile, and end with code 1 for an error, however many builds of a server replace each other", async () => {
    const root = writeProject(good);
    const start = (command = "dev"): Build => startBuild(root, command);
    const lock = holdLock(root);
    const deploys = [start("deploy"), start("versions upload"), start("deploy")];
    const named = `Another build of ${root} runs (pid ${String(process.pid)}).`;
    for (const deploy of deploys) await vi.waitFor(() => expect(deploy.output()).toContain(named), patient);
    const replaced = start();
    await waits(root, replaced);
    const newest = start();
    expect([await replaced.ended, replaced.output()]).toEqual([0, ""]);
    writeFiles(root, { "agents/prompts/support.ts": "export default {" });
    lock.release();
    expect(await Promise.all([...deploys, newest].map(({ ended }) => ended))).toEqual([1, 1, 1, 0]);
    for (const build of [...deploys, newest])
      expect(build.output()).toMatch(/agents\/prompts\/support\.ts:\d+:\d+  error/);
  });

  it("Builds of different folders run at the same time", async () => {
    const [one, other] = [await reportingProject(), await reportingProject()];
    const builds = [one.start("deploy"), other.start("deploy")];
    await Promise.all([begins(one.loads, 1), begins(other.loads, 1)]);
    await Promise.all([answer(one.loads, 1), answer(other.loads, 1)]);
    expect(await Promise.all(builds.map(({ ended }) => ended))).toEqual([0, 0]);
  });

  it("The errors of a build are not printed if a newer build waits, which prints those of the newest files", async () => {
    const { root, loads, write, start } = await reportingProject();
    writeFiles(root, { "agents/prompts/support.ts": "export default 1;" });
    const first = start();
    await begins(loads, 1);
    writeFiles(root, { "agents/prompts/support.ts": good["agents/prompts/support.ts"] ?? "" });
    write("newest");
    const newest = start();
    await waits(root, newest);
    await answer(loads, 1);
    await answer(loads, 2);
    expect([await first.ended, first.output()]).toEqual([0, ""]);
    expect([await newest.ended, newest.output()]).toEqual([0, expect.stringMatching(/^compiled 5 definitions/)]);
  });
});

/** The load with this number, counted from 1, has begun. */
async function begins(loads: readonly Load[], number: number): Promise<Load> {
  return vi.waitFor(
    () => loads[number - 1] ?? Promise.reject(new Error(`Load ${String(number)} has not begun.`)),
    patient,
  );
}

async function answer(loads: readonly Load[], number: number): Promise<void> {
  (await begins(loads, number)).answer.end();
}

function holdLock(root: string): { release: () => void } {
  const taken = takeLock(turnFile(root, "lock"));
  if ("heldBy" in taken) throw new Error(`The lock is held by ${String(taken.heldBy)}.`);
  return taken;
}

/** The build waits for the lock. */
async function waits(root: string, { child }: Build): Promise<void> {
  const first = `${String(child.pid)}\n`;
  await vi.waitFor(() => expect(readText(turnFile(root, "waiting"))?.slice(0, first.length)).toBe(first), patient);
}

/** A process that loads the definitions. */
interface Load {
  pid: number;
  /** The text in the definition that it loads. */
  text: string;
  answer: ServerResponse;
}

/** A project with a definition that requests an answer of the test when a compiler loads it. */
async function reportingProject() {
  const loads: Load[] = [];
  const server = createServer((request, response) => {
    const { searchParams } = new URL(request.url ?? "", "http://local");
    loads.push({ pid: Number(searchParams.get("pid")), text: searchParams.get("text") ?? "", answer: response });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
  const root = writeProject(good);
  const write = (text: string): void =>
    writeFiles(root, {
      "agents/tools/report.ts": `import { defineTool } from "threadhold";
// The compiler loads it in the Workers runtime too.
if (!("WebSocketPair" in globalThis)) await fetch(\`${address}/?pid=\${process.pid}&text=${text}\`);
export default defineTool("${text}", async () => ({ status: "success" }));`,
    });
  write("first");
  return { root, loads, write, start: (command = "dev"): Build => startBuild(root, command) };
}

interface Build {
  child: ChildProcess;
  output: () => string;
  ended: Promise<number | null>;
}

function startBuild(root: string, command: string): Build {
  const program = join(packageRoot, "scripts/threadhold.mjs");
  const child = spawn(process.execPath, [program, "build", "--auto", "--root", root], {
    env: { PATH: process.env.PATH, WRANGLER_COMMAND: command, TYPE_CHECK: "off" },
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  let text = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (part: string) => (text += part));
  }
  return { child, output: () => text, ended: new Promise((resolve) => child.on("close", resolve)) };
}
