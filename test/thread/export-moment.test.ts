// An export that is read slowly while the thread continues: every line has the state of the moment when the export began.

import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { toBase64 } from "#lib/base64.ts";

import { crossing } from "../worker/crossing.ts";
import { gate } from "../worker/definitions.ts";
import { toolEffects, scriptedAnswers } from "../worker/team.ts";
import { askExport, comparable, exported, imported, linesOf, replaced, sealed } from "./archive-client.ts";
import type { Line } from "./archive-client.ts";
import { admin, converse, follow, message, newThread, stubOf, value } from "./thread-driver.ts";
import { Files } from "./thread-files-client.ts";

const page = { limit: 1000, order: "asc" as const, include_silent: true };

const forget = () => {
  scriptedAnswers.clear();
  toolEffects.clear();
};
beforeEach(forget);
afterEach(forget);

/** A text that is longer than what an export reads ahead of its reader. */
const ahead = "x".repeat(200_000);

const read = async (response: Response) => new TextDecoder().decode(await response.arrayBuffer());
const contents = async (id: string) => (await value(stubOf(id).call("listMessages", admin, page))).items;
const pathsIn = (text: string): string[] =>
  linesOf(text).flatMap((line) => (line["type"] === "file" ? [String((line["file"] as Line)["path"])] : []));

describe("an export that is read slowly", () => {
  it("EXPORT7 A slowly read export contains each message and run as it was when the export began, although messages are edited, deleted and added later", async () => {
    const id = await newThread("boss");
    scriptedAnswers.set("boss", ({ step, lastUser }) =>
      step === 0 && lastUser === "work"
        ? { toolCalls: [{ name: "act", arguments: { key: "k" } }] }
        : { text: lastUser === "long" ? ahead : "so" },
    );
    toolEffects.set("k", () => 1);
    for (const word of ["long", "hello", "work", "more"]) await converse(id, word);
    const whole = comparable(await exported(id));
    const response = await askExport(id);
    const messages = await contents(id);
    const calling = messages.find(({ tool_calls }) => tool_calls !== null)?.id ?? "";
    await value(
      stubOf(id).call("patchMessage", admin, messages[2]?.id ?? "", { content: "edited", metadata: { a: 1 } }),
    );
    await value(stubOf(id).call("patchMessage", admin, calling, { metadata: { next: "deleted" } }));
    await value(stubOf(id).call("deleteMessage", admin, calling));
    await value(stubOf(id).call("deleteMessage", admin, messages.at(-1)?.id ?? ""));
    await value(stubOf(id).call("patch", admin, { title: "later" }));
    await converse(id, "later");
    expect(comparable(await read(response))).toEqual(whole);
    expect((await contents(id)).map(({ content }) => content)).toEqual([
      "long",
      ahead,
      "edited",
      "so",
      "work",
      "so",
      "more",
      "later",
      "so",
    ]);
  });

  it("EXPORT7 A slowly read export contains the active and queued runs as they were when the export began, and no later runs", async () => {
    const id = await newThread("boss");
    const { promise: passed, resolve: open } = crossing();
    const { promise: reached, resolve: reach } = crossing();
    scriptedAnswers.set("boss", async ({ lastUser }) => {
      if (lastUser === "long") return { text: "x".repeat(20_000) };
      reach();
      await passed;
      return { text: `said ${lastUser}` };
    });
    // More than a page of runs, and more text than an export reads ahead.
    for (let count = 0; count < 8; count += 1) await converse(id, "long");
    await value(stubOf(id).call("postMessage", admin, message("go"), null));
    await reached;
    await value(stubOf(id).call("postMessage", admin, message("waits"), null));
    const whole = comparable(await exported(id));
    const response = await askExport(id);
    await value(stubOf(id).call("postMessage", admin, message("later"), null));
    const following = await follow(id, { after: "0" });
    open();
    await following.until((event) => event.type === "text_end" && event.text === "said later");
    following.close();
    const lines = comparable(await read(response));
    expect(lines).toEqual(whole);
    const runs = lines.flatMap((line) => (line["type"] === "run" ? [(line["run"] as Line)["status"] as string] : []));
    expect(runs.slice(8)).toEqual(["running", "queued"]);
  });

  it("EXPORT7 An export breaks off if it must keep too many changed records in memory, and if the thread is deleted", async () => {
    const id = await newThread("filer");
    const long = "x".repeat(1_000_000);
    const ids: string[] = [];
    for (let count = 0; count < 10; count += 1) {
      const { message: stored } = await value(
        stubOf(id).call("postMessage", admin, message(long, { run: false }), null),
      );
      ids.push(stored?.id ?? "");
    }
    const [first, second] = [await askExport(id), await askExport(id)];
    for (const one of ids) await value(stubOf(id).call("deleteMessage", admin, one));
    // Two exports that each keep 10 MB aside are too much together; one of them continues.
    const ends = await Promise.all([first, second].map(async (each) => (await textOf(each)).includes('"type":"end"')));
    expect(ends.filter((isWhole) => isWhole)).toHaveLength(1);
    await new Files(id).put("/large", new Uint8Array(6_000_000));
    const third = await askExport(id);
    await value(stubOf(id).call("remove", admin));
    expect(await textOf(third)).not.toContain('"type":"end"');
  });

  it("An export does not contain the files of messages that were added after it began, and the thread keeps them", async () => {
    const id = await newThread("seeing");
    const files = new Files(id);
    const paused = async (name: string) => {
      const latch = gate(name);
      const data = toBase64(new TextEncoder().encode(name));
      const post = message(`slow:${name}`, { run: false, attachments: [{ name, mime_type: "text/plain", data }] });
      const following = await follow(id, { after: "0" });
      const answer = value(stubOf(id).call("postMessage", admin, post, null));
      await following.until((event) => event.type === "file_changed" && event.path === `/attachments/${name}`);
      following.close();
      return { answer, open: () => latch.open() };
    };
    await files.put("/a", new Uint8Array(3_000_000));
    const before = await paused("before");
    before.open();
    await before.answer;
    const during = await paused("during");
    const response = await askExport(id);
    const later = await paused("later");
    for (const one of [during, later]) {
      one.open();
      await one.answer;
    }
    const text = await read(response);
    expect(pathsIn(text)).toEqual(["/a", "/attachments/before"]);
    expect(await files.listed("/attachments")).toEqual(
      ["before", "during", "later"].map((name) => `/attachments/${name}`),
    );
    // An export after all messages are stored has all files.
    expect(pathsIn(await exported(id))).toHaveLength(4);
    await replaced(id, text);
    expect(await files.listed("/attachments")).toEqual(["/attachments/before"]);
    expect((await contents(id)).map(({ content }) => content)).toEqual(["slow:before"]);
  });

  it("An export does not contain a folder that only a file of a later message created", async () => {
    const id = await newThread("seeing");
    const { open } = gate("alone");
    const data = toBase64(new Uint8Array(3));
    const following = await follow(id, { after: "0" });
    const answer = stubOf(id).call(
      "postMessage",
      admin,
      message("slow:alone", { run: false, attachments: [{ name: "a", mime_type: "x/y", data }] }),
      null,
    );
    await following.until((event) => event.type === "file_changed");
    following.close();
    const kinds = linesOf(await exported(id)).map(({ type }) => String(type));
    expect(kinds).not.toContain("folder");
    open();
    await value(answer);
  });
});

describe("queued calls", () => {
  it("An export contains the tool calls of a queued run, and an imported copy executes them when its queue continues", async () => {
    const id = await newThread("boss");
    const { promise: passed, resolve: open } = crossing();
    const { promise: reached, resolve: reach } = crossing();
    scriptedAnswers.set("boss", async ({ lastUser }) => {
      if (lastUser === "second") reach();
      await passed;
      return { text: `said ${lastUser}` };
    });
    let made = 0;
    toolEffects.set("queue", (state) => state.queueTool("act", { key: "later" }));
    toolEffects.set("later", () => (made += 1));
    // A stop pauses the queue, and a call that is queued in the idle thread waits after the paused inputs.
    await value(stubOf(id).call("postMessage", admin, message("first"), null));
    await value(stubOf(id).call("postMessage", admin, message("second"), null));
    await value(stubOf(id).call("stop", admin, null));
    await value(stubOf(id).call("invokeTool", admin, "act", { key: "queue" }));
    await reached;
    const text = await exported(id);
    const runs = linesOf(text).flatMap((line) => (line["type"] === "run" ? [line["run"] as Line] : []));
    expect(runs.at(-1)).toMatchObject({ status: "queued", kind: "tool", calls: [{ name: "act" }] });
    open();
    const copy = crypto.randomUUID();
    expect((await imported(copy, await sealed(linesOf(text.replaceAll(id, copy))))).status).toBe(201);
    made = 0;
    const following = await follow(copy, { after: "0" });
    await value(stubOf(copy).call("postRun", admin, { kind: "continue" }, null));
    await following.until((event) => event.type === "tool_execution_end");
    following.close();
    expect(made).toBe(1);
    await value(stubOf(copy).call("remove", admin));
  });
});

async function textOf(response: Response): Promise<string> {
  const pieces: string[] = [];
  const decoder = new TextDecoder();
  try {
    for await (const piece of response.body ?? []) pieces.push(decoder.decode(piece, { stream: true }));
  } catch {
    // The export broke off.
  }
  return pieces.join("");
}
