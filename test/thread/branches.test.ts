// Branches of a thread: rerun, edit, go back, the tree, and what readers see of them.

import { beforeEach, describe, expect, it } from "vitest";

import { gate, scripts } from "../worker/definitions.ts";
import { comparable, exported, linesOf, replaced, sealed } from "./archive-client.ts";
import {
  branchMessages,
  checkout,
  foldedTexts,
  messageWith,
  runBranch,
  startBranch,
  textsOf,
  treeOf,
} from "./branch-driver.ts";
import { resetAgents } from "./team-driver.ts";
import { admin, converse, crash, follow, message, newThread, stubOf, value } from "./thread-driver.ts";

beforeEach(resetAgents);

/** A thread of two turns with the agent that repeats each text. */
async function twoTurns(): Promise<string> {
  const id = await newThread("parallel");
  await converse(id, "one");
  await converse(id, "two");
  return id;
}

const first = ["user: one", "assistant: echo: one"];
const second = ["user: two", "assistant: echo: two"];

describe("a rerun", () => {
  it("BRANCH1 A rerun from a user's message answers it again on a new branch that ends with it, and the earlier answer stays readable", async () => {
    const id = await twoTurns();
    const [root] = await treeOf(id);
    const from = await messageWith(id, "two");
    const answered = await messageWith(id, "echo: two");
    const { admission, events } = await runBranch(id, { from: from.id });
    expect(admission.run).toMatchObject({ kind: "rerun", status: "running" });
    expect(await textsOf(id)).toEqual([...first, ...second]);
    expect((await messageWith(id, "echo: two")).id).not.toBe(answered.id);
    expect(await textsOf(id, root?.id)).toEqual([...first, ...second]);
    expect((await messageWith(id, "echo: two", root?.id)).id).toBe(answered.id);
    expect(events.map(({ type }) => type).slice(0, 2)).toEqual(["run_start", "branch_changed"]);
    expect(events[0]).toMatchObject({ trigger: "continuation", kind: "rerun" });
  });

  it("BRANCH2 A rerun from any message of an answer ends before the first answer of its run", async () => {
    const id = await newThread("parallel");
    scripts.set("calls", ({ step }) =>
      step === 0 ? { toolCalls: [{ name: "note", arguments: { text: "x" } }] } : { text: "done" },
    );
    await converse(id, "calls");
    const before = await branchMessages(id);
    for (const { id: from } of before.slice(1)) {
      await runBranch(id, { from });
      const now = await branchMessages(id);
      expect(now.map(({ id: one }) => one)).not.toContain(before[1]?.id);
      expect(now[0]?.id).toBe(before[0]?.id);
      expect(now).toHaveLength(4);
    }
    expect(await treeOf(id)).toHaveLength(4);
  });

  it("BRANCH3 An edit replaces a user's message on a new branch and answers the new text; a branch from an answer goes on after it", async () => {
    const id = await twoTurns();
    const from = await messageWith(id, "two");
    await runBranch(id, { kind: "branch", from: from.id, content: "three" });
    expect(await textsOf(id)).toEqual([...first, "user: three", "assistant: echo: three"]);
    const answer = await messageWith(id, "echo: one");
    const { events } = await runBranch(id, { kind: "branch", from: answer.id, content: "four" });
    expect(await textsOf(id)).toEqual([...first, "user: four", "assistant: echo: four"]);
    expect(events.find(({ type }) => type === "run_start")).toMatchObject({ kind: "branch", trigger: "branch" });
    const one = await messageWith(id, "one");
    await runBranch(id, { kind: "branch", from: one.id, content: "zero" });
    expect(await textsOf(id)).toEqual(["user: zero", "assistant: echo: zero"]);
    expect((await treeOf(id)).at(-1)).toMatchObject({ after_message_id: null, message_count: 2, current: true });
  });

  it("BRANCH4 The tree lists each branch with its parent, the message where they part, its length and its last run", async () => {
    const id = await twoTurns();
    const [one, , two] = await branchMessages(id);
    const { admission } = await runBranch(id, { from: two?.id ?? "" });
    const edited = await runBranch(id, { kind: "branch", from: one?.id ?? "", content: "other" });
    const [root, rerun, edit] = await treeOf(id);
    expect(root).toMatchObject({ parent_id: null, after_message_id: null, message_count: 4, current: false });
    expect(rerun).toMatchObject({ parent_id: root?.id, after_message_id: two?.id, message_count: 1, current: false });
    expect(rerun?.last_run_id).toBe(admission.run?.id);
    expect(edit).toMatchObject({ parent_id: root?.id, after_message_id: null, message_count: 2, current: true });
    expect(edit?.last_run_id).toBe(edited.admission.run?.id);
    const page = await value(stubOf(id).call("listBranches", admin, { limit: 2 }));
    expect(page.items.map(({ id: branch }) => branch)).toEqual([root?.id, rerun?.id]);
    const next = await value(stubOf(id).call("listBranches", admin, { limit: 2, cursor: page.next_cursor ?? "" }));
    expect(next).toMatchObject({ items: [{ id: edit?.id }], next_cursor: null });
  });

  it("BRANCH5 A checkout changes to another branch, or to a new one that ends before a message, and the next message goes on there", async () => {
    const id = await twoTurns();
    const [root] = await treeOf(id);
    const two = await messageWith(id, "two");
    await runBranch(id, { kind: "branch", from: two.id, content: "three" });
    const changed = await checkout(id, { branch_id: root?.id ?? "" });
    expect(changed.thread).toMatchObject({ branch_id: root?.id, message_count: 4, last_message: "echo: two" });
    await converse(id, "more");
    expect(await textsOf(id)).toEqual([...first, ...second, "user: more", "assistant: echo: more"]);
    await checkout(id, { before: two.id });
    expect(await textsOf(id)).toEqual(first);
    await converse(id, "again");
    expect(await textsOf(id)).toEqual([...first, "user: again", "assistant: echo: again"]);
  });
});

describe("readers of a thread with branches", () => {
  it("BRANCH6 A reader that replays a thread with branches from any event number shows the messages of the current branch", async () => {
    const id = await twoTurns();
    const [root] = await treeOf(id);
    const two = await messageWith(id, "two");
    await runBranch(id, { from: two.id });
    await runBranch(id, { kind: "branch", from: two.id, content: "three" });
    await checkout(id, { branch_id: root?.id ?? "" });
    await checkout(id, { branch_id: (await treeOf(id))[1]?.id ?? "" });
    await converse(id, "last");
    const shown = await textsOf(id);
    expect(await foldedTexts(id)).toEqual(shown);
    const everything = await follow(id, { after: "0", until: "idle" });
    await everything.closed;
    const live = everything.events;
    for (const { seq } of live) {
      const rest = await follow(id, { after: String(seq), until: "idle" });
      await rest.closed;
      expect(rest.events.map((event) => event.seq)).toEqual(
        live.map((event) => event.seq).filter((number) => number > seq),
      );
      rest.close();
    }
  });

  it("BRANCH7 A live reader follows each change of the branch, and its state equals a new snapshot", async () => {
    const id = await twoTurns();
    const reader = await follow(id);
    await reader.until(({ type }) => type === "snapshot");
    const two = await messageWith(id, "two");
    await runBranch(id, { kind: "branch", from: two.id, content: "three" });
    const [root] = await treeOf(id);
    const { thread } = await checkout(id, { branch_id: root?.id ?? "" });
    await reader.until((event) => event.seq >= thread.last_seq);
    const { emptyView, foldAll } = await import("#contract/fold.ts");
    const view = foldAll(reader.events, emptyView);
    reader.close();
    expect(view.messages.map(({ id: one }) => one)).toEqual((await branchMessages(id)).map(({ id: one }) => one));
    expect(view.thread).toEqual({ ...thread, last_seq: view.last_seq - 1 });
  });

  it("BRANCH8 After a crash the thread is on the branch that it was on", async () => {
    const id = await twoTurns();
    const two = await messageWith(id, "two");
    await runBranch(id, { kind: "branch", from: two.id, content: "three" });
    const [root, edit] = await treeOf(id);
    await checkout(id, { branch_id: root?.id ?? "" });
    await crash(id);
    expect(await textsOf(id)).toEqual([...first, ...second]);
    await checkout(id, { branch_id: edit?.id ?? "" });
    await crash(id);
    expect(await foldedTexts(id)).toEqual([...first, "user: three", "assistant: echo: three"]);
  });
});

describe("an export of a thread with branches", () => {
  it("BRANCH33 An imported thread has the same tree, the same branches and the same current branch, and a reader shows the same messages", async () => {
    const id = await twoTurns();
    const [one, , two] = await branchMessages(id);
    await runBranch(id, { from: two?.id ?? "" });
    // A branch that shares no message, and a result whose place is between two others.
    await runBranch(id, { kind: "branch", from: one?.id ?? "", content: "zero" });
    await checkout(id, { before: two?.id ?? "" });
    await checkout(id, { branch_id: "main" });
    const before = { tree: await treeOf(id), shown: await foldedTexts(id) };
    const branches = await Promise.all(before.tree.map((branch) => branchMessages(id, branch.id)));
    const text = await exported(id);
    await replaced(id, text);
    expect(await treeOf(id)).toEqual(before.tree);
    expect(await Promise.all(before.tree.map((branch) => branchMessages(id, branch.id)))).toEqual(branches);
    expect(await foldedTexts(id)).toEqual(before.shown);
    expect(comparable(await exported(id))).toEqual(comparable(text));
  });

  it("BRANCH33 An export with a call whose place a crash has moved between two others can be imported", async () => {
    const id = await twoTurns();
    const lines = linesOf(await exported(id)).map((line) => {
      const { type, message } = line as {
        type: string;
        message?: { role: string; content?: string; position: string };
      };
      const isLast = type === "message" && message?.role === "assistant";
      return isLast ? { ...line, message: { ...message, position: `${message?.position ?? ""}.1` } } : line;
    });
    await replaced(id, await sealed(lines));
    expect(await textsOf(id)).toEqual([...first, ...second]);
  });
});

describe("a run on a new branch while another run is active", () => {
  it("BRANCH9 A rerun, a branch and a checkout are refused while a run is active; with interrupt a rerun ends the run and begins", async () => {
    const id = await newThread("parallel");
    await converse(id, "one");
    const { reached, open } = gate("busy-branch");
    scripts.set("busy", ({ step }) =>
      step === 0 ? { toolCalls: [{ name: "wait", arguments: { gate: "busy-branch" } }] } : { text: "late" },
    );
    await value(stubOf(id).call("postMessage", admin, message("busy"), null));
    await reached;
    const one = await messageWith(id, "one");
    const refused = await stubOf(id).call("postRun", admin, { kind: "rerun", from: one.id }, null);
    expect(refused).toMatchObject({ ok: false, refusal: { code: "conflict" } });
    expect(!refused.ok && refused.refusal.message).toContain('when: "interrupt"');
    const kept = await stubOf(id).call("checkout", admin, { before: one.id });
    expect(kept).toMatchObject({ ok: false, refusal: { code: "conflict" } });
    // A checkout has no such option.
    expect(!kept.ok && kept.refusal.message).not.toContain("when");
    await value(stubOf(id).call("postMessage", admin, message("queued"), null));
    await startBranch(id, { from: one.id, when: "interrupt" });
    open();
    const following = await follow(id, { after: "0", until: "idle" });
    await following.closed;
    expect(await textsOf(id)).toEqual([...first, "user: queued", "assistant: echo: queued"]);
    const [root] = await treeOf(id);
    expect((await textsOf(id, root?.id)).slice(0, 4)).toEqual([...first, "user: busy", "assistant: calls"]);
    expect(await foldedTexts(id)).toEqual(await textsOf(id));
  });
});
