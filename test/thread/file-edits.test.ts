// Moves of files over HTTP, and moves and batches by ThreadState, in a real thread.

import { exports } from "cloudflare:workers";
import { describe, expect, it } from "vitest";

import type { EventOf, ThreadEvent } from "#contract/event.ts";
import type { ExtendedThreadState, ThreadState } from "#spec/index.ts";

import { realPng } from "../support/real-png.ts";
import { fileFunctions } from "../worker/file-works.ts";
import { crash, follow, newThread, stubOf } from "./thread-driver.ts";
import { Files } from "./thread-files-client.ts";

type Changed = EventOf<"file_changed">;

const changes = (events: readonly ThreadEvent[]): string[] =>
  events
    .filter((event): event is Changed => event.type === "file_changed")
    .map(({ path, change }) => `${change} ${path}`);

/** Calls `work` with the thread's state in an endpoint. */
async function withState(id: string, work: (state: ExtendedThreadState) => Promise<unknown>): Promise<unknown> {
  const name = crypto.randomUUID();
  fileFunctions.set(name, (state: ThreadState) => work(state as ExtendedThreadState));
  const path = `http://localhost/api/threads/${id}/work-files?name=${name}`;
  return (await exports.default.fetch(new Request(path, { method: "POST" }))).json();
}

const outcome = (call: Promise<unknown>): Promise<unknown> =>
  call.then(
    () => "done",
    (thrown: { code?: string }) => thrown.code,
  );

describe("moves of files over HTTP", () => {
  it("FHTTP25 A move takes a file or a folder with its bytes, ETag, metadata and thumbnail to an unused path, also after a crash", async () => {
    const id = await newThread("filer");
    const files = new Files(id);
    const picture = await realPng(300, 200);
    await files.put("/a/one.txt", "one");
    await files.put("/a/deep/picture.png", picture.slice());
    await withState(id, (state) => state.writeFile("a/meta", "m", "text/plain", { metadata: { by: "me" } }));
    const etag = (await files.get("/a/one.txt")).headers.get("etag");
    const thumbnail = await (await files.get("/a/deep/picture.png?thumbnail")).arrayBuffer();
    const live = await follow(id, { after: "0" });
    const move = (from: string, to: string) =>
      files.ask("POST", "/files-move", {
        body: JSON.stringify({ from, to }),
        headers: { "content-type": "application/json" },
      });
    const moved = await move("/a", "/b/c");
    expect([moved.status, await moved.json()]).toMatchObject([200, { path: "/b/c", isDirectory: true }]);
    expect(await (await move("b/c/one.txt", "two.txt")).json()).toMatchObject({ path: "/two.txt", size: 3 });
    const last = "/two.txt";
    await live.until((event) => event.type === "file_changed" && event.path === last && event.change === "written");
    expect(changes(live.events).slice(-4)).toEqual([
      "deleted /a",
      "written /b/c",
      "deleted /b/c/one.txt",
      "written /two.txt",
    ]);
    live.close();
    await crash(id);
    const read = await files.get("/two.txt");
    expect([await read.text(), read.headers.get("etag")]).toEqual(["one", etag]);
    expect(await (await files.get("/b/c/meta?stat")).json()).toMatchObject({ metadata: { by: "me" } });
    expect(await (await files.get("/b/c/deep/picture.png?thumbnail")).arrayBuffer()).toEqual(thumbnail);
    const status = async (from: string, to: string) => (await move(from, to)).status;
    const before = await (await files.ask("GET", "/files-search?glob=**/*")).json();
    expect(await status("/none", "/x")).toBe(404);
    expect(await status("/two.txt", "/b")).toBe(409);
    expect(await status("/b", "/b/c/d")).toBe(409);
    expect(await status("/two.txt", "/../x")).toBe(400);
    expect(await status("", "/x")).toBe(400);
    expect(await (await files.ask("GET", "/files-search?glob=**/*")).json()).toEqual(before);
  });
});

describe("batches of changes by ThreadState", () => {
  it("A batch of file changes is written in one transaction with one event for each change, and a batch with a refused change writes nothing", async () => {
    const id = await newThread("filer");
    const rows = async () => (await stubOf(id).rows()).rowsWritten;
    const before = await rows();
    expect(
      await withState(id, (state) =>
        state.writeFiles([
          { path: "src/a.ts", data: "a" },
          { path: "src/b", data: new Uint8Array([1, 2]), mimeType: "application/x-b", metadata: { n: 1 } },
          { folder: "empty" },
        ]),
      ),
    ).toMatchObject([
      { path: "/src/a.ts", mimeType: "text/plain; charset=utf-8" },
      { path: "/src/b", mimeType: "application/x-b", metadata: { n: 1 } },
      { path: "/empty", isDirectory: true },
    ]);
    // Three entries and a folder above them, three events, and the thread's row.
    expect((await rows()) - before).toBe(4 + 3 + 1);
    const result = await withState(id, async (state) => {
      const read = await state.statFile("src/a.ts");
      const refused = await outcome(state.writeFiles([{ path: "new", data: "n" }, { delete: "none" }]));
      await state.writeFiles([{ path: "src/a.ts", data: "b", expected: read }]);
      const stale = await outcome(state.writeFiles([{ path: "src/a.ts", data: "c", expected: read }]));
      const existing = await outcome(state.writeFiles([{ path: "src/a.ts", data: "c", expected: null }]));
      await state.writeFiles([
        { path: "src/c.ts", data: "needle", expected: null },
        { move: "src/b", to: "b" },
      ]);
      await state.moveFile("src/c.ts", "src/d.ts");
      await state.writeFiles([{ delete: "empty" }]);
      return {
        refused,
        stale,
        existing,
        content: new TextDecoder().decode((await state.readFile("src/a.ts")) ?? new ArrayBuffer()),
        listed: await state.listFiles("**/*", { exclude: ["none"] }),
        found: await state.searchFiles("needle", { include: "**/*.ts" }),
      };
    });
    expect(result).toEqual({
      refused: "file_not_found",
      stale: "conflict",
      existing: "conflict",
      content: "b",
      listed: { paths: ["/b", "/src/a.ts", "/src/d.ts"], total: 3, truncated: false },
      found: { results: [{ path: "/src/d.ts", matches: [{ line: 1, content: "needle" }] }], truncated: false },
    });
  });
});
