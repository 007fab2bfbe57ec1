// Imports that are repeated, and the limits of what an importer may set.

import { beforeAll, describe, expect, it } from "vitest";

import { exported, imported, leftIn, linesOf, nothing, sealed } from "./archive-client.ts";
import type { Importer, Line } from "./archive-client.ts";
import { admin, converse, message, newThread, stubOf, value } from "./thread-driver.ts";

const runPage = { limit: 200, order: "asc" as const };
const ada: Importer = { user: "ada", admin: false };

let base = "";
let baseId = "";

beforeAll(async () => {
  baseId = await newThread("filer", { user_id: "ada" });
  await converse(baseId, "one");
  base = await exported(baseId);
});

/** The valid export under another thread id. */
async function fresh(spoil: (lines: Line[]) => void = () => undefined): Promise<{ id: string; text: string }> {
  const id = crypto.randomUUID();
  const lines = linesOf(base.replaceAll(baseId, id));
  spoil(lines);
  return { id, text: await sealed(lines) };
}

const threadOf = (lines: Line[]): Line => lines.find(({ type }) => type === "thread")?.["thread"] as Line;

describe("an import with a key", () => {
  it("IMPORT17 An import that is repeated with its idempotency key returns the thread in its current state", async () => {
    const { id, text } = await fresh();
    const first = await imported(id, text, { ...ada, creation: "key" });
    expect([first.status, first.thread["message_count"]]).toEqual([201, 2]);
    await value(stubOf(id).call("postMessage", admin, message("more", { run: false }), null));
    const again = await imported(id, text, { ...ada, creation: "key" });
    expect([again.status, again.thread["id"], again.thread["message_count"]]).toEqual([201, id, 3]);
  });

  it("IMPORT17 A repeated import is refused with conflict if its file, its idempotency key or its caller differs, or if it has no key", async () => {
    const { id, text } = await fresh();
    expect((await imported(id, text, { ...ada, creation: "key" })).status).toBe(201);
    const lines = linesOf(text);
    const { title } = threadOf(lines);
    threadOf(lines)["title"] = "other";
    const refused: [string, Importer][] = [
      [await sealed(lines), { ...ada, creation: "key" }],
      [text, { ...ada, creation: "ke" }],
      [text, { ...ada, creation: "key2" }],
      [text, { ...ada, creation: "" }],
      [text, ada],
      [text, { user: "bob", admin: false, creation: "key" }],
    ];
    for (const [body, importer] of refused) {
      const { status, code } = await imported(id, body, importer);
      expect([importer, status, code]).toEqual([importer, 409, "conflict"]);
    }
    const cut = await imported(id, text.slice(0, -100), { ...ada, creation: "key" });
    expect([cut.status, cut.code]).toEqual([400, "invalid_request"]);
    expect(await value(stubOf(id).call("describe", admin))).toMatchObject({ title, message_count: 2 });
  });

  it("IMPORT17 A failed import can be repeated with the same idempotency key", async () => {
    const { id, text } = await fresh();
    expect((await imported(id, text.slice(0, -100), { ...ada, creation: "key" })).code).toBe("invalid_request");
    expect(await leftIn(id)).toEqual(nothing);
    expect((await imported(id, text, { ...ada, creation: "key" })).status).toBe(201);
  });
});

describe("an importer", () => {
  it("IMPORT18 An import gives a waiting run no more steps than its importer may request, unless the importer is an administrator", async () => {
    for (const [importer, requested, kept] of [
      [ada, 10_000, null],
      [ada, null, null],
      [ada, 3, { steps: 3 }],
      [admin, 10_000, { steps: 10_000 }],
    ] as const) {
      const { id, text } = await fresh((lines) => {
        const run = lines.findLast(({ type }) => type === "run")?.["run"] as Line;
        const waits = String(run["id"]).replace(/.{12}$/, "ffffffffffff");
        const at = lines.findLastIndex(({ type }) => type === "run");
        const queued = { ...run, id: waits, status: "queued", queued: { message: null }, limits: { steps: requested } };
        lines.splice(at + 1, 0, { type: "run", run: { ...queued, message_ids: [], events: [] } });
        threadOf(lines)["queue"] = [waits];
      });
      const { status, message: words } = await imported(id, text, importer);
      expect([requested, status, words]).toEqual([requested, 201, null]);
      const { items } = await value(stubOf(id).call("listRuns", admin, runPage));
      expect(items.at(-1)?.status).toBe("queued");
      const run = linesOf(await exported(id)).findLast(({ type }) => type === "run")?.["run"] as Line;
      expect([requested, run["limits"]]).toEqual([requested, kept]);
    }
  });

  it("IMPORT19 An imported thread of an agent that is not defined here can be read but not answered", async () => {
    const { id, text } = await fresh((lines) => {
      Object.assign(threadOf(lines), { agent_id: "elsewhere", origin_agent_id: "elsewhere" });
    });
    expect((await imported(id, text)).status).toBe(201);
    expect((await value(stubOf(id).call("describe", admin))).message_count).toBe(2);
    expect(await stubOf(id).call("postMessage", admin, message("hello"), null)).toMatchObject({ ok: false });
  });
});
