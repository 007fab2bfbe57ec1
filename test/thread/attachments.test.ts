// Files of messages and tools in a real thread: what is stored, which events are emitted, and what the model is sent.

import { runInDurableObject } from "cloudflare:test";
import { env, exports } from "cloudflare:workers";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";

import type { InputAttachment } from "#contract/input-attachment.ts";
import { toBase64 } from "#lib/base64.ts";
import { imageType } from "#lib/image-type.ts";
import type { TestRequest } from "#spec/index.ts";

import { pngBytes } from "../support/memory-files.ts";
import { realPng } from "../support/real-png.ts";
import { attaching, imageAnswers, shownToModels } from "../worker/attached.ts";
import { hookCalls } from "../worker/definitions.ts";
import { withTracedHooks } from "../worker/loop-hooks.ts";
import { admin, converse, crash, follow, message, newThread, stubOf, value } from "./thread-driver.ts";

const page = { limit: 100, order: "asc" as const, include_silent: false };
const key = { key: "k", fingerprint: "f" };

const image = (name = "cat.png", length = 3000): InputAttachment => ({
  name,
  mime_type: "image/png",
  data: toBase64(pngBytes(length)),
});
const csv: InputAttachment = { name: "a.csv", mime_type: "text/csv", data: btoa("a,b\n1,2") };

/** Requests the thread's files from its endpoint: sizes by path, the same after a deletion, or the bytes of one file. */
function askFiles(id: string, query = ""): Promise<Response> {
  return exports.default.fetch(new Request(`http://localhost/api/threads/${id}/attached${query}`));
}

async function filesOf(id: string): Promise<Record<string, number>> {
  return (await askFiles(id)).json();
}

async function messagesOf(id: string) {
  return (await value(stubOf(id).call("listMessages", admin, page))).items;
}

/** Posts a message without starting a run. */
function store(id: string, extra: object) {
  return stubOf(id).call("postMessage", admin, message("", { run: false, ...extra }), null);
}

/** The content of each message in the last request to the model. */
function lastSent(): TestRequest["messages"] {
  return shownToModels.at(-1)?.messages ?? [];
}

beforeEach(() => {
  shownToModels.length = 0;
});

describe("a message with attachments", () => {
  it("A message is stored with references to its attachments, its events contain them, and the model receives an image as bytes and a CSV file as text", async () => {
    const id = await newThread("seeing");
    const events = await converse(id, "look", { attachments: [image(), csv] });
    const [posted] = await messagesOf(id);
    const cat = { type: "file", path: "/attachments/cat.png", name: "cat.png", mimeType: "image/png", size: 3000 };
    const table = { type: "file", path: "/attachments/a.csv", name: "a.csv", mimeType: "text/csv", size: 7 };
    expect(posted?.attachments).toMatchObject([cat, table]);
    expect(posted?.parts).toMatchObject([
      { type: "text", text: "look" },
      { type: "image", path: "/attachments/cat.png", size: 3000 },
      { type: "file", path: "/attachments/a.csv", size: 7 },
    ]);
    expect(new Set(posted?.attachments.map((one) => one.id)).size).toBe(2);
    const emitted = events.find((event) => event.type === "message_end");
    expect(emitted).toMatchObject({ message: { attachments: posted?.attachments } });
    expect(await filesOf(id)).toEqual({ "/attachments/cat.png": 3000, "/attachments/a.csv": 7 });
    expect(lastSent()).toEqual([
      {
        role: "user",
        content: "look\n[file: a.csv, text/csv, 7 bytes, /attachments/a.csv]\na,b\n1,2",
        attachments: [{ mimeType: "image/png", path: "/attachments/cat.png", size: 3000 }],
      },
    ]);
  });

  it("A stored message keeps its files after a crash of its object, and the model is sent them in the next run", async () => {
    const id = await newThread("seeing");
    const first = await value(
      stubOf(id).call("postMessage", admin, message("one", { run: false, attachments: [image()] }), null),
    );
    await crash(id);
    await converse(id, "two", { attachments: [image()] });
    expect((await messagesOf(id))[0]?.attachments).toEqual(first.message?.attachments);
    expect(lastSent().map(({ attachments }) => attachments?.[0]?.path)).toEqual([
      "/attachments/cat.png",
      expect.stringMatching(/^\/attachments\/cat.+\.png$/),
    ]);
  });

  it("Three simultaneous messages with files of the same name lose no file", async () => {
    const id = await newThread("seeing");
    const lengths = [100, 200, 300];
    await Promise.all(lengths.map((length) => value(store(id, { attachments: [image("cat.png", length)] }))));
    const attached = (await messagesOf(id)).flatMap(({ attachments }) => attachments);
    expect(attached.map(({ size }) => size).sort((left, right) => left - right)).toEqual(lengths);
    expect(await filesOf(id)).toEqual(Object.fromEntries(attached.map(({ path, size }) => [path, size])));
  });

  it("An image over 4096 pixels is encoded again by the image service, unless a tool returned it", async () => {
    const id = await newThread("seeing");
    const data = toBase64(await realPng(5000, 20));
    attaching.set("wide", () => ({ status: "success", attachments: [{ name: "w.png", mimeType: "image/png", data }] }));
    imageAnswers.set("wide", ({ step }) =>
      step === 0 ? { toolCalls: [{ name: "attach", arguments: { key: "wide" } }] } : { text: "done" },
    );
    await converse(id, "wide", { attachments: [{ name: "u.png", mime_type: "image/png", data }] });
    const attached = (await messagesOf(id)).flatMap(({ attachments }) => attachments);
    expect(attached).toMatchObject([
      { path: "/attachments/u.webp", mimeType: "image/webp", width: 4096, height: 16 },
      { path: "/attachments/w.png", mimeType: "image/png", width: 5000, height: 20 },
    ]);
    const bytes = new Uint8Array(await (await askFiles(id, "?read=/attachments/u.webp")).arrayBuffer());
    expect(imageType(bytes)).toBe("image/webp");
  });

  it("Older images are sent as lines of text if the prompt sets recentImageThreshold", async () => {
    const id = await newThread("short_sighted");
    await converse(id, "one", { attachments: [image("old.png")] });
    await converse(id, "two", { attachments: [image("new.png")] });
    expect(lastSent().map(({ content, attachments }) => [content, attachments?.length ?? 0])).toEqual([
      ["one", 1],
      ["seen", 0],
      ["two", 1],
    ]);
    await converse(id, "three");
    expect(lastSent()[0]?.content).toBe("one\n[image: old.png, image/png, 3 KB, /attachments/old.png]");
    expect(lastSent()[2]?.attachments).toHaveLength(1);
  });

  it("Images are sent as lines of text to a model without vision", async () => {
    const id = await newThread("unseeing");
    await converse(id, "look", { attachments: [image()] });
    expect(lastSent()).toEqual([
      { role: "user", content: "look\n[image: cat.png, image/png, 3 KB, /attachments/cat.png]" },
    ]);
  });

  it("A run still completes if the file of an earlier message was deleted, and the model reads that the file is gone", async () => {
    const id = await newThread("seeing");
    await value(store(id, { attachments: [image()] }));
    imageAnswers.set("delete", () => ({ text: "fine" }));
    expect(await (await askFiles(id, "?delete=/attachments/cat.png")).json()).toEqual({});
    const events = await converse(id, "delete");
    expect(events.at(-1)).toMatchObject({ type: "run_end", status: "completed" });
    expect(lastSent()[0]?.content.trim()).toBe(
      "[image: cat.png, image/png, 3 KB, /attachments/cat.png; the file is gone]",
    );
  });
});

describe("refused attachments", () => {
  it("If an attachment is refused, no file and no message is stored, and the error names the attachment's field", async () => {
    const id = await newThread("seeing");
    const refused = await store(id, { attachments: [image(), { path: "/gone" }] });
    expect(refused).toMatchObject({
      ok: false,
      refusal: { code: "invalid_request", details: { fields: [{ path: "attachments.1" }] } },
    });
    expect([await filesOf(id), await messagesOf(id)]).toEqual([{}, []]);
  });

  it("A message whose attachment has an internal address is refused, and the files that were already stored for it are deleted", async () => {
    const id = await newThread("seeing");
    for (const url of [
      "https://127.0.0.1/a.png",
      "https://169.254.169.254/latest",
      "http://[::1]/",
      "file:///etc/passwd",
    ]) {
      const refused = await store(id, { attachments: [image(), { url }] });
      expect(refused).toMatchObject({
        ok: false,
        refusal: { code: "invalid_request", details: { fields: [{ path: "attachments.1" }] } },
      });
    }
    expect([await filesOf(id), await messagesOf(id)]).toEqual([{}, []]);
  });

  it("If a message is refused after its files were stored, the files are deleted", async () => {
    const id = await newThread("seeing");
    const content = "x".repeat(1024 * 1024);
    expect(await store(id, { content, attachments: [image()] })).toMatchObject({ refusal: { code: "too_large" } });
    expect([await filesOf(id), await messagesOf(id)]).toEqual([{}, []]);
  });

  it("Requests with the same idempotency key store their file once, whether they arrive one after the other or at the same time", async () => {
    const id = await newThread("seeing");
    const input = message("again", { run: false, attachments: [image()] });
    const answers = await Promise.all([0, 1, 2].map(() => value(stubOf(id).call("postMessage", admin, input, key))));
    answers.push(await value(stubOf(id).call("postMessage", admin, input, key)));
    expect(new Set(answers.map((answer) => answer.message?.id)).size).toBe(1);
    expect(answers.filter(({ repeated }) => !repeated)).toHaveLength(1);
    const [only, ...others] = await messagesOf(id);
    expect(others).toEqual([]);
    expect(Object.keys(await filesOf(id))).toEqual([only?.attachments[0]?.path]);
  });

  it("A new thread stores files of its first messages, and a refused creation leaves nothing", async () => {
    const initial_messages = [
      { role: "user" as const, content: "first", attachments: [image("a.png")] },
      { role: "user" as const, content: [{ type: "file", mime_type: "text/csv", name: "b.csv", data: btoa("b") }] },
    ];
    const id = await newThread("seeing", { initial_messages });
    expect((await messagesOf(id)).map(({ attachments }) => attachments.map(({ path }) => path))).toEqual([
      ["/attachments/a.png"],
      ["/attachments/b.csv"],
    ]);
    const bad = [...initial_messages, { role: "user", content: "x", attachments: [{ path: "/gone" }] }];
    const input = { id: crypto.randomUUID(), agent_id: "seeing", user_id: null, creation: "bad" };
    expect(await stubOf(input.id).call("create", admin, { ...input, initial_messages: bad as never })).toMatchObject({
      refusal: { code: "invalid_request", details: { fields: [{ path: "initial_messages.2.attachments.0" }] } },
    });
    expect(await stubOf(input.id).call("describe", admin)).toMatchObject({ refusal: { code: "thread_not_found" } });
    const rows = await runInDurableObject(env.THREADS.get(env.THREADS.idFromName(input.id)), (_, state) =>
      state.storage.sql.exec("SELECT name FROM sqlite_master WHERE name NOT LIKE '\\_cf%' ESCAPE '\\'").toArray(),
    );
    expect(rows).toEqual([]);
  });
});

describe("attachments of a tool's result", () => {
  const attachOnce = (word: string, answer: () => unknown) => {
    attaching.set(word, answer);
    imageAnswers.set(word, ({ step }) =>
      step === 0 ? { toolCalls: [{ name: "attach", arguments: { key: word } }] } : { text: "done" },
    );
  };

  it("The attachments of a tool's result are in the tool's message, its event and its result, and the model receives them", async () => {
    const id = await newThread("seeing");
    attachOnce("draw", () => ({
      status: "success",
      result: "drawn",
      attachments: [
        { name: "chart.png", mimeType: "image/png", data: toBase64(pngBytes(2_000_000)) },
        { id: "r", type: "file", path: "/attachments/cat.png" },
        { path: "/gone" },
      ],
    }));
    const events = await converse(id, "draw", { attachments: [image()] });
    const tool = (await messagesOf(id)).find(({ role }) => role === "tool");
    expect(tool?.attachments).toMatchObject([
      { path: "/attachments/chart.png", mimeType: "image/png", size: 2_000_000 },
      { id: "r", path: "/attachments/cat.png", name: "cat.png", size: 3000 },
    ]);
    expect(tool?.result?.attachments).toEqual(tool?.attachments);
    expect(tool?.content).toBe("drawn\n[The attachment gone was not kept: this thread has no such file.]");
    expect(events.find((event) => event.type === "tool_execution_end")).toMatchObject({ result: tool?.result });
    expect(lastSent().at(-1)).toMatchObject({
      role: "tool",
      content: tool?.content,
      attachments: [{ path: "/attachments/chart.png", size: 2_000_000 }, { path: "/attachments/cat.png" }],
    });
  });

  it("A directly invoked tool stores its files in the thread, and the log does not contain their bytes", async () => {
    const id = await newThread("seeing");
    const data = toBase64(pngBytes(20_000));
    attaching.set("direct", () => ({
      status: "success",
      result: "x".repeat(400_000),
      attachments: [{ name: "d.png", mimeType: "image/png", data }],
    }));
    const result = await value(stubOf(id).call("invokeTool", admin, "attach", { key: "direct" }));
    expect(result.attachments).toMatchObject([{ size: 400_000 }, { path: "/attachments/d.png", size: 20_000 }]);
    expect(result.result?.length).toBeLessThan(13_000);
    expect(Object.values(await filesOf(id)).sort((left, right) => left - right)).toEqual([20_000, 400_000]);
    const { items } = await value(stubOf(id).call("listLogs", admin, { limit: 100, order: "asc" }));
    expect(JSON.stringify(items)).toContain("/attachments/d.png");
    expect(JSON.stringify(items)).not.toContain(data.slice(2000, 2040));
  });

  it("A tool's result of 20 MB is stored completely in a file, and the thread stays usable", async () => {
    const id = await newThread("seeing");
    attachOnce("flood", () => ({ status: "success", result: `begin${"x".repeat(20_000_000)}end` }));
    const events = await converse(id, "flood");
    expect(events.at(-1)).toMatchObject({ type: "run_end", status: "completed" });
    const tool = (await messagesOf(id)).find(({ role }) => role === "tool");
    const path = `/attachments/tool-result-${tool?.id}.txt`;
    expect(await filesOf(id)).toEqual({ [path]: 20_000_008 });
    expect(tool?.attachments).toMatchObject([{ path, mimeType: "text/plain", size: 20_000_008 }]);
    expect(tool?.content?.length).toBeLessThan(13_000);
    expect(lastSent().at(-1)?.content).toContain(path);
    const whole = await (await askFiles(id, `?read=${path}`)).text();
    expect([whole.length, whole.slice(-5)]).toEqual([20_000_008, "xxend"]);
    expect((await converse(id, "next")).at(-1)).toMatchObject({ type: "run_end", status: "completed" });
  });
});

describe("rows and hooks", () => {
  it("The bytes of a file are in no message, log, run or event", async () => {
    const id = await newThread("seeing");
    const bytes = pngBytes(30_000);
    const secret = toBase64(bytes).slice(2000, 2040);
    attaching.set("leak", () => ({
      status: "success",
      result: "made",
      attachments: [{ name: "b.png", mimeType: "image/png", data: toBase64(bytes) }],
    }));
    imageAnswers.set("leak", ({ step }) =>
      step === 0 ? { toolCalls: [{ name: "attach", arguments: { key: "leak" } }] } : { text: "done" },
    );
    const part = { type: "image" as const, mime_type: "image/png", data: toBase64(bytes) };
    const posted = message("", { attachments: [{ name: "a.png", mime_type: "image/png", data: toBase64(bytes) }] });
    const content = [{ type: "text" as const, text: "leak" }, part];
    const { run, after } = await value(stubOf(id).call("postMessage", admin, { ...posted, content }, null));
    const events = await converse(id, "more");
    const { items } = await value(stubOf(id).call("listLogs", admin, { limit: 100, order: "asc" }));
    const logs = await Promise.all(items.map((log) => value(stubOf(id).call("getLog", admin, log.id))));
    expect(logs.some(({ data }) => JSON.stringify(data).includes("/attachments/a.png"))).toBe(true);
    const rows = await runInDurableObject(env.THREADS.get(env.THREADS.idFromName(id)), (_, state) => {
      const tables = state.storage.sql
        .exec<{ name: string }>(
          "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE '\\_cf%' ESCAPE '\\'",
        )
        .toArray();
      return tables.flatMap(({ name }) =>
        state.storage.sql
          .exec(`SELECT * FROM "${name}"`)
          .toArray()
          .flatMap((row) => Object.values(row).filter((field) => typeof field === "string")),
      );
    });
    expect(rows.some((row) => row.includes("/attachments/a.png"))).toBe(true);
    expect(JSON.stringify([run, after, rows, events, logs, await messagesOf(id)])).not.toContain(secret);
    expect(Object.values(await filesOf(id))).toEqual([30_000, 30_000, 30_000]);
  });

  it("Hooks receive the text of a message without its files: neither their bytes nor their names", async () => {
    const received = new Map<string, string>();
    const restore = withTracedHooks((thread, hook, given) => {
      const key = `${thread} ${hook}`;
      received.set(key, `${received.get(key) ?? ""}${JSON.stringify(given)}`);
    });
    onTestFinished(restore);
    const id = await newThread("seeing");
    await converse(id, "look at it", { attachments: [image(), csv] });
    const [posted] = await messagesOf(id);
    await value(stubOf(id).call("patchMessage", admin, posted?.id ?? "", { content: "look at it again" }));
    expect(lastSent()[0]?.attachments).toHaveLength(1);
    for (const hook of [
      "before_create_message",
      "after_create_message",
      "filter_messages",
      "transform_context",
      "convert_to_llm",
      "prefilter_llm_history",
      "before_update_message",
      "after_update_message",
    ]) {
      const text = received.get(`${id} ${hook}`) ?? "";
      expect([hook, text]).toEqual([hook, expect.stringContaining("look at it")]);
      for (const part of ["cat.png", toBase64(pngBytes(3000)), "a.csv", btoa("a,b\n1,2"), "a,b", "/attachments"]) {
        expect([hook, text]).toEqual([hook, expect.not.stringContaining(part)]);
      }
    }
  });

  it("A message keeps its files if a hook or an edit changes its text, and the event of its deletion contains no files", async () => {
    const id = await newThread("seeing");
    hookCalls.length = 0;
    await converse(id, "shout", { attachments: [image()] });
    expect(hookCalls).toContain("created user SHOUT");
    const [posted] = await messagesOf(id);
    expect(posted).toMatchObject({ content: "SHOUT", attachments: [{ path: "/attachments/cat.png" }] });
    const edited = await value(stubOf(id).call("patchMessage", admin, posted?.id ?? "", { content: "whisper" }));
    expect(edited).toMatchObject({ content: "whisper", attachments: posted?.attachments });
    expect(lastSent()[0]?.attachments).toHaveLength(1);
    const following = await follow(id, { after: "0" });
    await value(stubOf(id).call("deleteMessage", admin, posted?.id ?? ""));
    const deleted = await following.until((event) => event.type === "message_deleted");
    following.close();
    expect(deleted).toMatchObject({ message: { parts: [], attachments: [] } });
  });
});
