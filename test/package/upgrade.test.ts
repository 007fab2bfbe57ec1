// A project moves to the next version of the package: a server of that version opens the state that earlier versions wrote.
// `GOLDEN=write npm run test:package -- upgrade` records the state of the present version. A recorded state is never written again.

import { spawn, type ChildProcess } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";

import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";

import { nextFreePort } from "#cli/dev/free-port.ts";
import { waitUntilHealthy } from "#cli/dev/wait-until-healthy.ts";

import { linkPackages } from "./linked-packages.ts";
import { run, type ProgramResult } from "./run.ts";

const { threadhold: tarball, cliTarball, clientTarball, projects } = inject("packed");
const tarballs = [tarball, clientTarball, cliTarball];
const fixtures = fileURLToPath(new URL("fixtures", import.meta.url));
const isRecording = process.env["GOLDEN"] === "write";
/** One folder for each version, named after it. */
const recordings = path.join(fixtures, "upgrade/recordings");

/** What migrations of later versions may do: they only add. */
const laterMigration = `
ALTER TABLE thread ADD COLUMN later_text TEXT;
ALTER TABLE run_total ADD COLUMN later_count INTEGER NOT NULL DEFAULT 0;
CREATE INDEX later_index ON thread (later_text, updated_at);
CREATE TABLE later_table (id TEXT PRIMARY KEY, body TEXT NOT NULL);
`;

/** Ids that the recording chose, so that the threads are found again. */
const threads = {
  /** Its two runs have ended; a tool wrote a file. */
  finished: "11111111-1111-4111-8111-111111111111",
  /** Its run waits for an approval, a second message waits in its queue. */
  suspended: "22222222-2222-4222-8222-222222222222",
  /** Its server was killed during an answer. */
  interrupted: "33333333-3333-4333-8333-333333333333",
};

/** What a server answers about threads that do not change: the recording stores it, an upgraded server answers it again. */
const today = new Date().toISOString().slice(0, 10);
const reads = [
  `/api/usage?from=${today}&to=${today}`,
  // The start of a server raises `last_seq` and `updated_at` of a thread with a suspended run, so only its parts are compared.
  `/api/threads/${threads.finished}`,
  `/api/threads/${threads.finished}/files/orders/lamp.json`,
  ...[threads.finished, threads.suspended].flatMap((id) =>
    ["messages", "runs", "logs", "queue", "files", "events?after=0&until=idle"].map(
      (part) => `/api/threads/${id}/${part}`,
    ),
  ),
];

describe("a project that moves to the next version of the package", () => {
  const folder = mkdtempSync(path.join(tmpdir(), "threadhold-upgraded-"));
  const state = path.join(folder, ".wrangler/state");
  /** A killed server leaves its temporary files, which are removed with the project. */
  const temporary = path.join(folder, ".wrangler/temporary");
  let server: ChildProcess | undefined;
  let url = "";
  const inProject = (...command: [string, ...string[]]): Promise<ProgramResult> => run(command, { cwd: folder });

  beforeAll(async () => {
    cpSync(path.join(fixtures, "project"), folder, { recursive: true });
    cpSync(path.join(fixtures, "upgrade/agents"), path.join(folder, "agents"), { recursive: true });
    // A project that has the present version, as an installation left it.
    for (const file of ["package.json", "package-lock.json", ...tarballs.map((each) => path.basename(each))])
      cpSync(path.join(projects.web, file), path.join(folder, file));
    linkPackages(projects.web, folder);
    writeFileSync(path.join(folder, ".dev.vars"), "OPEN_LOOPBACK=true\n");
    if (isRecording) return;
    const next = [];
    for (const each of tarballs) next.push(await withVersion(each, "0.2.0", folder));
    const flags = ["--ignore-scripts", "--prefer-offline", "--no-audit", "--no-fund"] as const;
    expect(await inProject("npm", "install", ...flags, ...next)).toMatchObject({ code: 0 });
  });

  afterAll(async () => {
    await end();
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  });

  /** Kills the server with all its processes, as a crash of the machine does. */
  async function end(): Promise<void> {
    const running = server;
    server = undefined;
    if (running?.pid === undefined || running.exitCode !== null || running.signalCode !== null) return;
    const ended = new Promise((resolve) => running.once("close", resolve));
    process.kill(-running.pid, "SIGKILL");
    await ended;
  }

  async function start(): Promise<void> {
    const migrated = await inProject("wrangler", "d1", "migrations", "apply", "CATALOG", "--local");
    expect(migrated).toMatchObject({ code: 0 });
    const port = await nextFreePort(7_887);
    url = `http://localhost:${String(port)}`;
    mkdirSync(temporary, { recursive: true });
    server = spawn(
      path.join(folder, "node_modules/.bin/wrangler"),
      ["dev", "--port", String(port), "--inspector-port", "0", "--show-interactive-dev-session=false"],
      {
        cwd: folder,
        detached: true,
        stdio: "ignore",
        env: { ...process.env, TMPDIR: temporary, CI: "true", WRANGLER_SEND_METRICS: "false" },
      },
    );
    expect(await waitUntilHealthy(`${url}/healthz`, AbortSignal.timeout(120_000))).toBe(true);
  }

  function post(route: string, body: object, accept = "application/json"): Promise<Response> {
    const headers = { "content-type": "application/json", "sec-fetch-site": "none", accept };
    return fetch(url + route, { method: "POST", headers, body: JSON.stringify(body) });
  }

  /** The JSON of a response, or the events of a stream. */
  async function read(route: string): Promise<unknown> {
    const response = await fetch(url + route, { headers: { "sec-fetch-site": "none" } });
    expect([route, response.status]).toEqual([route, 200]);
    const text = await response.text();
    if (!(response.headers.get("content-type") ?? "").startsWith("text/event-stream")) return JSON.parse(text);
    const lines = text.split("\n").filter((line) => line.startsWith("data: {"));
    return lines.map((line): unknown => JSON.parse(line.slice("data: ".length)));
  }

  if (isRecording)
    it("The state that this version of the package stores is recorded for tests of later versions", async () => {
      const recording = path.join(recordings, /-(\d\S*)\.tgz$/.exec(tarball)?.[1] ?? "");
      expect(existsSync(recording)).toBe(false);
      await start();
      for (const id of Object.values(threads)) {
        expect((await post("/api/threads", { id, agent_id: "shop", title: id.slice(0, 4) })).status).toBe(201);
      }
      const { finished, suspended, interrupted } = threads;
      expect((await post(`/api/threads/${finished}/messages?wait=true`, { content: "buy lamp for 40" })).status).toBe(
        200,
      );
      expect((await post(`/api/threads/${finished}/messages?wait=true`, { content: "Thanks" })).status).toBe(200);
      expect((await post(`/api/threads/${suspended}/messages?wait=true`, { content: "buy car for 9000" })).status).toBe(
        200,
      );
      expect((await post(`/api/threads/${suspended}/messages`, { content: "And then?" })).status).toBe(202);
      const answers: Record<string, unknown> = {};
      for (const route of reads) answers[route] = await read(route);
      const stream = await post(
        `/api/threads/${interrupted}/messages`,
        { content: "count slowly" },
        "text/event-stream",
      );
      const decoder = new TextDecoder();
      let received = "";
      for await (const chunk of stream.body ?? []) {
        received += decoder.decode(chunk, { stream: true });
        if (received.includes("event: text_delta")) break;
      }
      await end();
      for (const part of ["v3/d1", "v3/do"]) {
        const filter = (file: string) => !file.endsWith("-shm");
        cpSync(path.join(state, part), path.join(recording, "state", part), { recursive: true, filter });
      }
      writeFileSync(path.join(recording, "answers.json"), `${JSON.stringify(answers, null, 1)}\n`);
    });
  else
    it.each(readdirSync(recordings))(
      "SURV14 State that version %s wrote can be read, suspended runs continue, and an answer that a crash interrupted is finished",
      async (version) => {
        rmSync(state, { recursive: true, force: true });
        cpSync(path.join(recordings, version, "state"), state, { recursive: true });
        expect((await inProject("npx", "threadhold", "--version")).output.trim().split("\n").at(-1)).toBe("0.2.0");
        await start();
        const answers = JSON.parse(readFileSync(path.join(recordings, version, "answers.json"), "utf8")) as object;
        for (const [route, answer] of Object.entries(answers))
          expect(await read(route)).toMatchObject(answer as object);

        const { finished, suspended, interrupted } = threads;
        const texts = async (id: string) => {
          const { messages } = (await read(`/api/threads/${id}/messages`)) as {
            messages: { role: string; content: string }[];
          };
          return messages.map(({ role, content }) => `${role}: ${content}`);
        };
        const { pending_tool_calls: pending } = (await read(`/api/threads/${suspended}`)) as {
          pending_tool_calls: { id: string }[];
        };
        const results = pending.map(({ id }) => ({ tool_call_id: id, approved: true }));
        expect((await post(`/api/threads/${suspended}/tool-results`, { results })).status).toBe(202);
        await read(`/api/threads/${suspended}/events?after=0&until=idle`);
        expect(await read(`/api/threads/${suspended}/files/orders/car.json`)).toEqual({ item: "car", price: 9000 });
        expect((await texts(suspended)).slice(-3)).toEqual([
          "assistant: Ordered: car for 9000 euros.",
          "user: And then?",
          "assistant: You said: And then?",
        ]);

        await read(`/api/threads/${interrupted}/events?after=0&until=idle`);
        const count = Array.from({ length: 40 }, (_, number) => number).join(" ");
        expect(await texts(interrupted)).toEqual(["user: count slowly", `assistant: ${count}`]);

        const next = await post(`/api/threads/${finished}/messages?wait=true`, { content: "Again" });
        expect([next.status, (await texts(finished)).at(-1)]).toEqual([200, "assistant: You said: Again"]);
        const list = (await read("/api/threads")) as { threads: { id: string }[] };
        expect(list.threads.map(({ id }) => id).toSorted()).toEqual(Object.values(threads));
        await end();
      },
    );

  it.skipIf(isRecording)("A Worker works with a catalog that a later version has migrated", async () => {
    const version = readdirSync(recordings).at(-1) ?? "";
    rmSync(state, { recursive: true, force: true });
    cpSync(path.join(recordings, version, "state"), state, { recursive: true });
    const later = path.join(folder, "node_modules/threadhold/migrations/catalog/9999_later.sql");
    writeFileSync(later, laterMigration);
    await start();
    const known = (await read("/api/threads")) as { threads: { id: string }[] };
    expect(known.threads.map(({ id }) => id).toSorted()).toEqual(Object.values(threads));
    const id = "44444444-4444-4444-8444-444444444444";
    expect((await post("/api/threads", { id, agent_id: "shop", title: "New" })).status).toBe(201);
    expect((await post(`/api/threads/${id}/messages?wait=true`, { content: "Hello" })).status).toBe(200);
    // The catalog is written after the thread.
    const listed = async () => ((await read("/api/threads?q=New")) as { threads: unknown[] }).threads;
    await expect.poll(listed).toMatchObject([{ id, last_message: "You said: Hello" }]);
    const deleted = await fetch(`${url}/api/threads/${id}`, {
      method: "DELETE",
      headers: { "sec-fetch-site": "none" },
    });
    expect(deleted.ok).toBe(true);
    expect(await listed()).toEqual([]);
    await read(`/api/usage?from=${today}&to=${today}`);
    await end();
    // A second process that opens the database of a running server can fail with "database is locked".
    const query = [
      "--local",
      "--json",
      "--command",
      "SELECT name FROM d1_migrations ORDER BY id DESC LIMIT 1",
    ] as const;
    const applied = await inProject("wrangler", "d1", "execute", "CATALOG", ...query);
    expect(applied.output).toContain("9999_later.sql");
    rmSync(later);
  });
});

/** Packs the content of a tarball again, as another version, which also names that version of the other packages. */
async function withVersion(from: string, version: string, folder: string): Promise<string> {
  expect(await run(["tar", "xzf", from, "-C", folder], { cwd: folder })).toMatchObject({ code: 0 });
  const unpacked = path.join(folder, "package");
  const file = path.join(unpacked, "package.json");
  const manifest = readFileSync(file, "utf8");
  const { version: present } = JSON.parse(manifest) as { version: string };
  writeFileSync(file, manifest.replaceAll(`"${present}"`, JSON.stringify(version)));
  const packed = path.join(folder, path.basename(from).replace(present, version));
  // `npm pack` would take more than a second to find the same files.
  expect(await run(["tar", "czf", packed, "-C", folder, "package"], { cwd: folder })).toMatchObject({ code: 0 });
  rmSync(unpacked, { recursive: true });
  return packed;
}
