// Malicious and broken imports: each is refused with a text that names the line, and nothing of it is stored. What is accepted affects only
// the imported thread.

import { beforeAll, describe, expect, it } from "vitest";

import { zeroUsage } from "#contract/usage.ts";
import type { Caller } from "#core/rpc/thread-rpc.ts";

import { scripts } from "../worker/definitions.ts";
import { exported, imported, leftIn, linesOf, listed, nothing, sealed } from "./archive-client.ts";
import type { Line } from "./archive-client.ts";
import { all, at, first, waits } from "./forged-lines.ts";
import { admin, converse, newThread, stubOf, value } from "./thread-driver.ts";
import { Files } from "./thread-files-client.ts";

const page = { limit: 1000, order: "asc" as const, include_silent: true };

/** A valid export, which the tests modify. */
let base: Line[] = [];

beforeAll(async () => {
  const id = await newThread("filer", { user_id: "ada" });
  scripts.set("make", ({ step }) =>
    step === 0 ? { toolCalls: [{ name: "note", arguments: { text: "x" } }] } : { text: "made" },
  );
  await converse(id, "make");
  await converse(id, "more");
  const files = new Files(id);
  await files.put("/folder/small.txt", "small");
  await files.put("/large", new Uint8Array(2_000_000));
  base = linesOf(await exported(id));
  await value(stubOf(id).call("remove", admin));
});

/** Six digits with which no id ends by chance. */
const id6 = () => crypto.randomUUID().slice(0, 6);

type Spoil = (lines: Line[]) => Line[] | void;

/** The valid export under a new id, modified. */
function spoiled(spoil: Spoil): { id: string; lines: Line[] } {
  const id = crypto.randomUUID();
  const old = String(base[0]?.["thread_id"]);
  const lines = JSON.parse(JSON.stringify(base).replaceAll(old, id)) as Line[];
  return { id, lines: spoil(lines) ?? lines };
}

const without = (lines: Line[], type: string): Line[] => lines.filter((line) => line["type"] !== type);
const future = "ffffffff-ffff-7fff-8fff-ffffffffffff";
const otherId = "01a00000-0000-7000-8000-000000000001";
const nested = (levels: number): unknown => JSON.parse(`${"[".repeat(levels)}${"]".repeat(levels)}`);

function swap(lines: Line[], one: number, other: number): void {
  [lines[one], lines[other]] = [lines[other] ?? {}, lines[one] ?? {}];
}

/** Adds a branch after the first one. */
function branched(lines: Line[], branch: Line): void {
  lines.splice(at(lines, "branch") + 1, 0, { type: "branch", branch: { created_at: 1, ...branch } });
}

const refusedOnes: [string, Spoil][] = [
  ["a header of another thread", (lines) => void (first(lines, "thread")["id"] = crypto.randomUUID())],
  ["an unknown line", (lines) => [...lines, { type: "secret", secret: 1 }]],
  ["an unknown field of a line", (lines) => void ((lines[1] as Line)["more"] = 1)],
  ["an unknown field of the thread", (lines) => void (first(lines, "thread")["children"] = [crypto.randomUUID()])],
  ["a parent", (lines) => void (first(lines, "thread")["parent"] = { thread_id: "x", message_id: "y" })],
  ["messages for other threads", (lines) => void (first(lines, "thread")["background"] = { outbound: [] })],
  ["totals of its own", (lines) => void (first(lines, "thread")["usage"] = zeroUsage)],
  ["a call that awaits another thread", (lines) => void (first(lines, "message")["awaits"] = { kind: "child" })],
  ["a context", (lines) => void (first(lines, "run")["context"] = { admin: true })],
  ["no thread", (lines) => without(lines, "thread")],
  ["the thread twice", (lines) => [...lines.slice(0, 2), ...lines.slice(1)]],
  ["records before the thread", (lines) => swap(lines, 1, 2)],
  ["messages before runs", (lines) => swap(lines, at(lines, "run"), at(lines, "message"))],
  ["no branch", (lines) => without(lines, "branch")],
  [
    "a branch of its own parent",
    (lines) => void Object.assign(first(lines, "branch"), { parent_branch: "main", fork_position: otherId }),
  ],
  ["two roots", (lines) => branched(lines, { id: "z", parent_branch: null, fork_position: null })],
  ["a branch of a later one", (lines) => branched(lines, { id: "y", parent_branch: "z", fork_position: otherId })],
  ["a branch again", (lines) => branched(lines, { id: "main", parent_branch: "main", fork_position: otherId })],
  ["a branch that forked nowhere", (lines) => branched(lines, { id: "y", parent_branch: "main", fork_position: null })],
  [
    "a branch with odd letters",
    (lines) => branched(lines, { id: "\u{10FFFF}", parent_branch: "main", fork_position: otherId }),
  ],
  ["the present branch missing", (lines) => void (first(lines, "thread")["branch"] = "other")],
  ["a message on no branch", (lines) => void (first(lines, "message")["branch"] = "other")],
  [
    "one message on two branches",
    (lines) => {
      branched(lines, { id: "second", parent_branch: "main", fork_position: otherId });
      const message = { ...first(lines, "message"), branch: "second" };
      lines.splice(at(lines, "log"), 0, { type: "message", message });
    },
  ],
  [
    "a message before its branch begins",
    (lines) => {
      branched(lines, { id: "second", parent_branch: "main", fork_position: first(lines, "message")["position"] });
      const message = { ...first(lines, "message"), id: otherId, position: otherId, branch: "second" };
      lines.splice(at(lines, "log"), 0, { type: "message", message });
    },
  ],
  ["a message twice", (lines) => void lines.splice(at(lines, "message"), 0, ...all(lines, "message").slice(0, 1))],
  ["messages out of order", (lines) => swap(lines, at(lines, "message"), at(lines, "message") + 1)],
  ["a position that is no id", (lines) => void (first(lines, "message")["position"] = "~~~~")],
  ["an empty position", (lines) => void (first(lines, "message")["position"] = "")],
  [
    "a position in the far future",
    (lines) => void Object.assign(all(lines, "message").at(-1)?.["message"], { position: future }),
  ],
  ["a last position in the far future", (lines) => void (first(lines, "thread")["last_position"] = future)],
  ["an id in the far future", (lines) => void Object.assign(all(lines, "log").at(-1)?.["log"], { id: future })],
  ["an id of another kind", (lines) => void (first(lines, "message")["id"] = crypto.randomUUID())],
  [
    "an id in capital letters",
    (lines) => void (first(lines, "run")["id"] = String(first(lines, "run")["id"]).toUpperCase()),
  ],
  ["a message of another thread's run", (lines) => void (first(lines, "message")["run_id"] = otherId)],
  ["a log of another thread's run", (lines) => void (first(lines, "log")["run_id"] = otherId)],
  ["a role that nobody has", (lines) => void (first(lines, "message")["role"] = "developer")],
  ["a user's message under way", (lines) => void (first(lines, "message")["status"] = "started")],
  ["a negative depth", (lines) => void (first(lines, "message")["depth"] = -1)],
  [
    "an address in a message",
    (lines) =>
      void (first(lines, "message")["parts"] = [
        { type: "image", mime_type: "image/png", path: "/a", url: "http://127.0.0.1/" },
      ]),
  ],
  [
    "bytes in a message",
    (lines) => void (first(lines, "message")["parts"] = [{ type: "image", mime_type: "image/png", data: "AAAA" }]),
  ],
  ["negative usage", (lines) => void (first(lines, "run")["usage"] = { ...zeroUsage, input: -1 })],
  ["absurd usage", (lines) => void (first(lines, "run")["usage"] = { ...zeroUsage, input: 1e15 })],
  ["usage that is no number", (lines) => void (first(lines, "run")["usage"] = { ...zeroUsage, input: "1" })],
  ["a negative cost", (lines) => void (first(lines, "run")["cost"] = -0.5)],
  ["a run that says it runs", (lines) => void (first(lines, "run")["status"] = "running")],
  [
    "a run that waits in no queue",
    (lines) => void Object.assign(first(lines, "run"), { status: "queued", queued: { message: null } }),
  ],
  ["a tool's result that waits", (lines) => void waits(lines, { role: "tool", tool_call_id: "x", name: "note" })],
  [
    "a call that waits",
    (lines) => {
      const call = { type: "tool_call", id: "x", name: "note", arguments: {} };
      waits(lines, { role: "assistant", parts: [call] });
    },
  ],
  ["a finished run in the queue", (lines) => void (first(lines, "thread")["queue"] = [first(lines, "run")["id"]])],
  ["a queue of runs that are not there", (lines) => void (first(lines, "thread")["queue"] = [otherId])],
  ["a run twice in the queue", (lines) => void (first(lines, "thread")["queue"] = [otherId, otherId])],
  ["a run under way that is not there", (lines) => void (first(lines, "thread")["active_run_id"] = otherId)],
  ["runs out of order", (lines) => swap(lines, at(lines, "run"), at(lines, "run") + 1)],
  ["logs out of order", (lines) => swap(lines, at(lines, "log"), at(lines, "log") + 1)],
  ["events out of order", (lines) => swap(lines, at(lines, "event"), at(lines, "event") + 1)],
  ["an event later than the last", (lines) => void (first(lines, "event")["seq"] = 9_000_000)],
  ["a number of no event", (lines) => void (first(lines, "event")["seq"] = -1)],
  ["more events than can be", (lines) => void (first(lines, "thread")["last_seq"] = Number.MAX_SAFE_INTEGER)],
  ["an event of no type", (lines) => void (first(lines, "event")["type"] = "snapshot")],
  ["an event with more than it has", (lines) => void (first(lines, "event")["secret"] = 1)],
  ["falling numbers in a row", (lines) => void (first(lines, "run")["events"] as Line[]).reverse()],
  ["a run that joined another", (lines) => void (first(lines, "run")["joined"] = otherId)],
  ["calls that no run waits to make", (lines) => void (first(lines, "run")["calls"] = [])],
  ["what only a run under way has", (lines) => void (first(lines, "run")["progress"] = { begun_children: [] })],
  ["files of messages on their way", (lines) => void (first(lines, "thread")["background"] = { attachments: [] })],
  ["a child that may still tell its cost", (lines) => void (first(lines, "message")["child"] = crypto.randomUUID())],
  ["half a character", (lines) => void (first(lines, "thread")["title"] = "\ud800")],
  ["half a character deep inside", (lines) => void (first(lines, "thread")["metadata"] = { a: [{ "\udc00": 1 }] })],
  ["more metadata than a thread has", (lines) => void (first(lines, "thread")["metadata"] = { a: "x".repeat(65_536) })],
  ["a media type that ends a header", (lines) => void (first(lines, "file")["mime_type"] = "text/plain\r\nx-own: 1")],
  ["values without end", (lines) => void (first(lines, "message")["metadata"] = { many: Array(500_001).fill(1) })],
  ["nesting without end", (lines) => void (first(lines, "message")["metadata"] = { deep: nested(600) })],
  ["a long title", (lines) => void (first(lines, "thread")["title"] = "x".repeat(501))],
  ["a path that leads out", (lines) => void (first(lines, "file")["path"] = "/../../etc/passwd")],
  ["a path in another spelling", (lines) => void (first(lines, "file")["path"] = "/folder/./small.txt")],
  ["a path with a NUL", (lines) => void (first(lines, "file")["path"] = "/a\u0000b")],
  ["a folder that is the root", (lines) => void (first(lines, "folder")["path"] = "/.")],
  [
    "a file below a file",
    (lines) =>
      void (
        (all(lines, "file")[1]?.["file"] as Line) &&
        Object.assign(all(lines, "file")[1]?.["file"], { path: "/folder/small.txt/x" })
      ),
  ],
  [
    "a file where a folder is",
    (lines) => void (all(lines, "file")[0] && Object.assign(all(lines, "file")[0]?.["file"], { path: "/folder" })),
  ],
  ["a file again", (lines) => void Object.assign(all(lines, "file")[1]?.["file"], { path: "/folder/small.txt" })],
  ["fewer bytes than a file says", (lines) => void (first(lines, "file")["size"] = 6)],
  ["more bytes than a file says", (lines) => void (first(lines, "file")["size"] = 4)],
  [
    "bytes that are no base64",
    (lines) => void (all(lines, "chunk")[0] && Object.assign(all(lines, "chunk")[0] ?? {}, { data: "!!!!" })),
  ],
  ["bytes of no file", (lines) => void lines.splice(at(lines, "folder"), 0, { type: "chunk", data: "AAAA" })],
  ["a file taken back that was none", (lines) => void lines.splice(at(lines, "folder"), 0, { type: "void" })],
  [
    "a file at an address inside",
    (lines) => void lines.splice(at(lines, "folder"), 0, outside("http://169.254.169.254/latest")),
  ],
  [
    "a file at an address with a password",
    (lines) => void lines.splice(at(lines, "folder"), 0, outside("https://a:b@example.com/")),
  ],
  ["a file at no address", (lines) => void lines.splice(at(lines, "folder"), 0, outside("file:///etc/passwd"))],
];

function outside(url: string): Line {
  return { type: "file", file: { path: "/x", mime_type: "text/plain", size: 1, url, created_at: 1, updated_at: 1 } };
}

describe("an import that is refused", () => {
  it("IMPORT1 An unchanged export is imported by the helper with which the other tests import changed exports", async () => {
    const { id, lines } = spoiled(() => undefined);
    expect((await imported(id, await sealed(lines))).status).toBe(201);
  });

  it.each(refusedOnes)("IMPORT1 An import refuses %s, and stores nothing", async (_, spoil) => {
    const { id, lines } = spoiled(spoil);
    const { status, code, message } = await imported(id, await sealed(lines));
    expect([status, code]).toEqual([400, "invalid_request"]);
    expect(message).not.toContain("internal");
    expect(await leftIn(id)).toEqual(nothing);
    expect(await listed(id)).toBe(false);
  });

  it("IMPORT2 An import refuses a file that was cut at any point, and stores nothing", async () => {
    const { id, lines } = spoiled(() => undefined);
    const text = await sealed(lines);
    const ends = [...text.matchAll(/\n/g)].map(({ index }) => index).filter((_, index) => index % 4 === 0);
    for (const end of [...ends, ...ends.map((each) => each + 1), 1, text.length - 3].filter(
      (each) => each < text.length - 2,
    )) {
      const { status, code } = await imported(id, text.slice(0, end));
      expect([end, status, code]).toEqual([end, 400, "invalid_request"]);
      expect(await leftIn(id)).toEqual(nothing);
    }
    expect((await imported(id, text)).status).toBe(201);
  });

  it("IMPORT2 An import refuses a file with a changed letter, a missing line or more data after its end", async () => {
    const { id, lines } = spoiled(() => undefined);
    const text = await sealed(lines);
    const left = lines.toSpliced(at(lines, "event"), 1);
    const forged = `${left.map((line) => JSON.stringify(line)).join("\n")}\n`;
    for (const broken of [
      text.replace("echo: more", "echo: less"),
      forged,
      `${text}{}\n`,
      `${text}\n`,
      text.replaceAll("\n", "\r\n"),
      await sealed(lines, { counts: { ...(linesOf(text).at(-1) as Line)["counts"], messages: 1 } }),
    ]) {
      expect((await imported(id, broken)).code).toBe("invalid_request");
      expect(await leftIn(id)).toEqual(nothing);
    }
  });

  it("IMPORT3 An import refuses a line that is too long, and a file whose declared size is too large, and stores nothing", async () => {
    const { id, lines } = spoiled(() => undefined);
    const long = {
      type: "event",
      event: { type: "custom", seq: 1, at: 1, name: "x".repeat(2 * 1024 * 1024), data: 1 },
    };
    expect((await imported(id, await sealed([...lines.slice(0, 2), long]))).code).toBe("too_large");
    const huge = lines.map((line) =>
      line["type"] === "file" ? { ...line, file: { ...line["file"], size: 2 ** 40 } } : line,
    );
    expect((await imported(id, await sealed(huge))).code).toBe("too_large");
    expect(await leftIn(id)).toEqual(nothing);
  });

  it("IMPORT3 An import accepts records as large as a row, and no larger ones", async () => {
    for (const type of ["message", "log", "run"] as const) {
      const { id, lines } = spoiled(() => undefined);
      const record = first(lines, type);
      const field = type === "message" ? "metadata" : type === "log" ? "data" : "outcome";
      const pad = 1_899_000 - JSON.stringify({ type, [type]: { ...record, [field]: { pad: "" } } }).length;
      record[field] = { pad: "x".repeat(pad) };
      expect([type, (await imported(id, await sealed(lines))).status]).toEqual([type, 201]);
      const { items } = await value(stubOf(id).call("listMessages", admin, page));
      expect(items).not.toEqual([]);
      for (const more of [2000, 198_152, 198_153]) {
        record[field] = { pad: "x".repeat(pad + more) };
        const other = crypto.randomUUID();
        const longer = JSON.parse(JSON.stringify(lines).replaceAll(id, other)) as Line[];
        expect([type, more, (await imported(other, await sealed(longer))).code]).toEqual([type, more, "too_large"]);
        expect(await leftIn(other)).toEqual(nothing);
      }
      await value(stubOf(id).call("remove", admin));
    }
  });

  it("IMPORT4 An import refuses a file that is no export, or of a version that it does not read, and says what to do", async () => {
    const { id, lines } = spoiled(() => undefined);
    for (const header of [null, [], "text", { format: "threadhold-thread" }, { format: "other", version: 1 }]) {
      expect((await imported(id, await sealed([header as Line, ...lines.slice(1)]))).code).toBe("invalid_request");
    }
    expect((await imported(id, "")).message).toContain("not whole");
    const newer = await imported(id, await sealed([{ ...lines[0], version: 3 }, ...lines.slice(1)]));
    expect(newer).toMatchObject({ status: 400, code: "invalid_request" });
    expect(newer.message).toContain("version 3");
    expect(newer.message).toContain("newer deployment");
    expect(await leftIn(id)).toEqual(nothing);
  });

  it("IMPORT5 An import refuses an id that is in use by any owner, and changes nothing there", async () => {
    const { id, lines } = spoiled(() => undefined);
    const existing = { id, agent_id: "filer", user_id: "bob", creation: "x", title: "bob's" };
    await value(stubOf(id).call("create", admin, existing));
    for (const caller of [admin, { user: "ada", admin: false }, { user: "bob", admin: false }]) {
      const { status, code, message } = await imported(id, await sealed(lines), caller);
      expect([status, code]).toEqual([409, "conflict"]);
      expect(message).toContain("in use");
    }
    const { title, user_id, message_count } = await value(stubOf(id).call("describe", admin));
    expect([title, user_id, message_count]).toEqual(["bob's", "bob", 0]);
  });
});

describe("an import that is accepted", () => {
  it("IMPORT6 An imported thread belongs to the caller, and to the exported owner only if an administrator imports it", async () => {
    const owners: [Caller, string | null][] = [
      [{ user: "bob", admin: false }, "bob"],
      [{ user: "root", admin: true }, "ada"],
      [admin, "ada"],
    ];
    for (const [caller, owner] of owners) {
      const { id, lines } = spoiled(() => undefined);
      const { status, thread } = await imported(id, await sealed(lines), caller);
      expect([status, thread["user_id"]]).toEqual([201, owner]);
      const text = await exported(id);
      if (owner === "bob") expect(text).not.toContain('"ada"');
    }
    const { id, lines } = spoiled(() => undefined);
    const nobody = await imported(id, await sealed(lines), { user: null, admin: false });
    expect(nobody.status).toBe(403);
    expect(await leftIn(id)).toEqual(nothing);
  });

  it("IMPORT7 An imported thread has the usage of its exported runs, which is not added to the totals of the deployment", async () => {
    const { id, lines } = spoiled((all) => {
      for (const line of all) if (line["type"] === "run") line["run"]["started_at"] = 9e15;
      for (const line of all)
        if (line["type"] === "run") line["run"]["usage"] = { ...zeroUsage, input: 1000, total_tokens: 1000 };
      first(all, "thread")["status"] = "running";
      // Runs that this deployment's catalog does not have.
      let text = JSON.stringify(all);
      for (const line of all) {
        const known = line["type"] === "run" ? String(line["run"]["id"]) : "";
        if (known !== "") text = text.replaceAll(known, known.slice(0, -6) + id6());
      }
      return JSON.parse(text) as Line[];
    });
    const { thread } = await imported(id, await sealed(lines));
    expect(thread).toMatchObject({ usage: { input: 2000, total_tokens: 2000 }, message_count: 6, status: "idle" });
    const { env } = await import("cloudflare:workers");
    const { CATALOG } = env as unknown as { CATALOG: D1Database };
    const counted = async () =>
      CATALOG.prepare("SELECT count(*) AS n FROM run_total WHERE thread_id = ?1").bind(id).first("n");
    expect(await counted()).toBe(0);
    // The same holds when a lost catalog is restored: only runs of this deployment count.
    await value(stubOf(id).call("relist", admin));
    expect(await counted()).toBe(0);
    await converse(id, "here");
    await value(stubOf(id).call("relist", admin));
    expect(await counted()).toBe(1);
  });

  it("IMPORT8 An import replaces times in the future, gives open calls an error result and drops `__proto__` keys", async () => {
    const { id, lines } = spoiled((all) => {
      Object.assign(first(all, "thread"), { created_at: 9e15, updated_at: 9e15 });
      const tool = all.find((line) => line["type"] === "message" && line["message"]["role"] === "tool")?.[
        "message"
      ] as Line;
      Object.assign(tool, { status: "started", result: null });
      first(all, "message")["metadata"] = { kept: 1, inner: JSON.parse('{"__proto__": {"admin": true}, "b": 2}') };
    });
    const { status, thread } = await imported(id, await sealed(lines));
    expect(status).toBe(201);
    expect(Number(thread["updated_at"])).toBeLessThan(Date.now() * 1000 + 1e9);
    const { items } = await value(stubOf(id).call("listMessages", admin, page));
    expect(items.find(({ role }) => role === "tool")).toMatchObject({
      status: "complete",
      result: { status: "error" },
    });
    expect(items[0]?.metadata).toEqual({ kept: 1, inner: { b: 2 } });
    expect(Object.hasOwn(items[0]?.metadata["inner"] as object, "__proto__")).toBe(false);
  });
});
