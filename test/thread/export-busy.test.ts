// A thread that is exported while a run is active: the file is complete and has the state of one moment, and the run is not disturbed.

import { beforeEach, describe, expect, it } from "vitest";

import { crossing } from "../worker/crossing.ts";
import { effects, gate, scripts } from "../worker/definitions.ts";
import { toolEffects, scriptedAnswers } from "../worker/team.ts";
import { askExport, comparable, exported, imported, linesOf, replaced, sealed } from "./archive-client.ts";
import type { Line } from "./archive-client.ts";
import { waitFor } from "./team-driver.ts";
import { admin, alarmOf, converse, crash, follow, message, newThread, stubOf, value } from "./thread-driver.ts";
import { Files } from "./thread-files-client.ts";

const page = { limit: 1000, order: "asc" as const, include_silent: true };
const runPage = { limit: 200, order: "asc" as const };

beforeEach(() => {
  effects.length = 0;
  scriptedAnswers.clear();
  toolEffects.clear();
});

const only = (lines: Line[], type: string): Line[] =>
  lines.flatMap((line) => (line["type"] === type ? [line[type]] : []));

/** A thread whose run waits at a gate inside a tool, with two queued inputs. */
async function busy(name: string) {
  const id = await newThread("parallel");
  // Long enough that the end of an export is read only when its reader asks for it, and not ahead.
  scripts.set("first", () => ({ text: "x".repeat(200_000) }));
  await converse(id, "first");
  scripts.set(name, ({ step }) =>
    step === 0
      ? {
          text: "calling",
          toolCalls: [
            { name: "note", arguments: { text: "before" } },
            { name: "wait", arguments: { gate: name } },
          ],
        }
      : { text: "gone on" },
  );
  const latch = gate(name);
  const following = await follow(id, { after: "0" });
  const { run } = await value(stubOf(id).call("postMessage", admin, message(name), null));
  await latch.reached;
  await following.until((event) => event.type === "tool_execution_end");
  await value(stubOf(id).call("postMessage", admin, message("second"), null));
  await value(stubOf(id).call("postMessage", admin, message("third"), null));
  return { id, latch, following, run: run?.id ?? "" };
}

describe("an active thread", () => {
  it("EXPORT7 An export of an active thread has the state of one moment, whatever changes while it is read", async () => {
    const { id, latch, following } = await busy("moment");
    const response = await askExport(id);
    // The export reads nothing before its reader does: the run ends first.
    latch.open();
    await following.until((event) => event.type === "text_end" && event.text === "echo: third");
    const lines = linesOf(new TextDecoder().decode(await response.arrayBuffer()));
    following.close();
    const [thread] = only(lines, "thread");
    expect(only(lines, "run").map(({ status }) => String(status))).toEqual([
      "completed",
      "running",
      "queued",
      "queued",
    ]);
    expect(thread?.["active_run_id"]).toBe(only(lines, "run")[1]?.["id"]);
    expect(thread?.["queue"]).toEqual(
      only(lines, "run")
        .slice(2)
        .map(({ id }) => String(id)),
    );
    expect(only(lines, "message").map(({ role, status }) => [role, status])).toEqual([
      ["user", "complete"],
      ["assistant", "complete"],
      ["user", "complete"],
      ["assistant", "complete"],
      ["tool", "complete"],
      ["tool", "started"],
    ]);
    const numbers = [
      ...["run", "message", "log"].flatMap((type) => only(lines, type).flatMap((row) => row["events"] as Line[])),
      ...only(lines, "event"),
    ].map(({ seq }) => Number(seq));
    expect(Math.max(...numbers)).toBeLessThanOrEqual(thread?.["last_seq"]);
  });

  it("EXPORT8 In an imported copy of an active thread, the active run has ended as interrupted, no call is repeated, and the queue is paused", async () => {
    const { id, latch, following, run } = await busy("interrupted");
    const text = await exported(id);
    following.close();
    effects.length = 0;
    await replaced(id, text);
    latch.open();
    const thread = await value(stubOf(id).call("describe", admin));
    expect(thread).toMatchObject({ status: "error", active_run_id: null });
    const { items: runs } = await value(stubOf(id).call("listRuns", admin, runPage));
    expect(runs.map(({ status, reason }) => [status, reason])).toEqual([
      ["completed", "response"],
      ["error", "interrupted"],
      ["queued", null],
      ["queued", null],
    ]);
    const { items } = await value(stubOf(id).call("listMessages", admin, page));
    expect(items.slice(-2).map(({ role, status, result }) => [role, status, result?.status])).toEqual([
      ["tool", "complete", "success"],
      ["tool", "complete", "error"],
    ]);
    expect(items.at(-1)?.content).toContain("unknown");
    expect(thread.usage).toEqual(addUp(runs.map(({ usage }) => usage)));
    // The usage of the interrupted run's answer is counted once.
    expect(runs[1]?.usage).toEqual(items[3]?.usage);
    const replayed = await follow(id, { after: "0", run_id: run });
    await replayed.closed;
    expect(replayed.events.at(-1)).toMatchObject({ type: "run_end", status: "error", reason: "interrupted" });
    expect(replayed.events.filter(({ type }) => type === "message_end")).toHaveLength(4);
    // A crash right after the import changes nothing of it.
    await crash(id);
    expect((await value(stubOf(id).call("describe", admin))).status).toBe("error");
    expect(await alarmOf(id)).toBeNull();
    expect(effects).toEqual([]);
  });

  it("EXPORT8 In an imported copy of an active thread, the next message resumes the queue, and the queued inputs are answered before that message", async () => {
    const { id, latch, following } = await busy("goingon");
    const text = await exported(id);
    following.close();
    await replaced(id, text);
    latch.open();
    const { last_seq } = await value(stubOf(id).call("describe", admin));
    expect(last_seq).toBeGreaterThan(only(linesOf(text), "thread")[0]?.["last_seq"]);
    await converse(id, "fourth");
    const { items } = await value(stubOf(id).call("listMessages", admin, page));
    expect(items.slice(-6).map(({ content }) => content)).toEqual([
      "second",
      "echo: second",
      "third",
      "echo: third",
      "fourth",
      "echo: fourth",
    ]);
    const { items: runs } = await value(stubOf(id).call("listRuns", admin, runPage));
    expect(runs.slice(2).map(({ status }) => status)).toEqual(["completed", "completed", "completed"]);
    expect(comparable(await exported(id)).length).toBeGreaterThan(comparable(text).length);
  });

  it("EXPORT9 An imported copy of a thread that waited for a child thread does not wait for the child, and sends nothing to it", async () => {
    const id = await newThread("boss");
    const { promise: passed, resolve: open } = crossing();
    scriptedAnswers.set("boss", ({ step }) =>
      step === 0 ? { toolCalls: [{ name: "panel", arguments: { task: "decide" } }] } : { text: "boss done" },
    );
    scriptedAnswers.set("pro", async () => {
      await passed;
      return { text: "pro says" };
    });
    scriptedAnswers.set("con", () => ({ toolCalls: [{ name: "conclude", arguments: { said: "yes" } }] }));
    const following = await follow(id, { after: "0" });
    await value(stubOf(id).call("postMessage", admin, message("go"), null));
    const start = await following.until((event) => event.type === "subagent_start");
    const child = start.type === "subagent_start" ? (start.child_thread_id ?? "") : "";
    // The event of the call comes before its child exists.
    await waitFor(async () => (await stubOf(child).call("describe", admin)).ok);
    const own = await follow(child, { after: "0" });
    await own.until((event) => event.type === "step_start");
    const [parent, childs] = [await exported(id), await exported(child)];
    following.close();
    // A copy of the parent under another id: its deletion deletes no child.
    const other = crypto.randomUUID();
    const moved = parent.replaceAll(id, other);
    const { status, message: words } = await imported(other, await sealed(linesOf(moved)));
    expect([status, words]).toEqual([201, null]);
    expect((await value(stubOf(other).call("listRuns", admin, runPage))).items[0]).toMatchObject({
      reason: "interrupted",
    });
    expect((await value(stubOf(other).call("describe", admin))).parent).toBeNull();
    await value(stubOf(other).call("remove", admin));
    expect((await value(stubOf(child).call("describe", admin))).status).toBe("running");
    // A copy of the child delivers its result to no thread.
    const copy = crypto.randomUUID();
    expect((await imported(copy, await sealed(linesOf(childs.replaceAll(child, copy))))).status).toBe(201);
    expect((await value(stubOf(copy).call("describe", admin))).parent).toBeNull();
    await value(stubOf(copy).call("remove", admin));
    expect((await value(stubOf(id).call("describe", admin))).active_run_id).not.toBeNull();
    open();
    await own.until((event) => event.type === "run_end");
    own.close();
  });

  it("If a file is replaced during its export, the export contains the new file completely, and a file that is deleted meanwhile is left out", async () => {
    const id = await newThread("filer");
    const files = new Files(id);
    const old = new Uint8Array(6_000_000).fill(1);
    await files.put("/a-large", old);
    await files.put("/b-gone", old);
    const response = await askExport(id);
    const pieces: Uint8Array<ArrayBuffer>[] = [];
    for await (const piece of response.body ?? []) {
      pieces.push(piece.slice());
      if (pieces.length === 3) await files.put("/a-large", "new");
      if (String(new TextDecoder().decode(piece)).includes('"path":"/b-gone"'))
        await files.ask("DELETE", "/files/b-gone");
    }
    const text = Buffer.concat(pieces).toString();
    const lines = linesOf(text);
    const kinds = lines.map(({ type }) => String(type)).filter((type) => type !== "chunk");
    expect(kinds).toEqual([
      "header",
      "thread",
      "branch",
      "event",
      "event",
      "file",
      "void",
      "file",
      "file",
      "void",
      "end",
    ]);
    expect(lines.at(-1)?.["counts"]).toMatchObject({ files: 1, file_bytes: 3 });
    await replaced(id, text);
    expect(await (await files.get("/a-large")).text()).toBe("new");
    expect(await files.stats()).toEqual({ fileCount: 1, directoryCount: 0, totalSize: 3 });
  });
});

function addUp(usages: readonly { input: number; output: number; total_tokens: number }[]) {
  const sum = (field: "input" | "output" | "total_tokens") => usages.reduce((total, one) => total + one[field], 0);
  return {
    input: sum("input"),
    output: sum("output"),
    cache_read: 0,
    cache_write: 0,
    total_tokens: sum("total_tokens"),
  };
}
