// What a thread's row says on another branch, and which branches are refused.

import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";

import { defineFilter } from "#spec/index.ts";

import { windowedRequests } from "../worker/compacted.ts";
import { registry, scripts } from "../worker/definitions.ts";
import { scriptedAnswers } from "../worker/team.ts";
import { branchMessages, checkout, messageWith, runBranch, startBranch, textsOf, treeOf } from "./branch-driver.ts";
import { costOf, finish, measured, printCosts, settled, withoutFilterHook } from "./cost-table.ts";
import { resetAgents } from "./team-driver.ts";
import { admin, converse, evict, message, newThread, stubOf, value } from "./thread-driver.ts";
import { clearWindowed, words } from "./windowed-requests.ts";

printCosts();
beforeEach(resetAgents);

const threadOf = (id: string) => value(stubOf(id).call("describe", admin));
const refusalOf = async (id: string, body: object) => {
  const answer = await stubOf(id).call("postRun", admin, { kind: "rerun", ...body }, null);
  return answer.ok ? null : answer.refusal;
};
const hand = (name: string) => ({ name, arguments: { task: "take over" } });

describe("the thread on another branch", () => {
  it("BRANCH10 The agent is the one that the conversation has on the branch: a handoff in the part left behind does not count", async () => {
    const id = await newThread("support");
    scriptedAnswers.set("desk", ({ lastUser }) =>
      lastUser === "my bill" ? { toolCalls: [hand("billing")] } : { text: "desk here" },
    );
    scriptedAnswers.set("clerk", () => ({ text: "clerk here" }));
    await converse(id, "hello");
    await converse(id, "my bill");
    expect((await threadOf(id)).agent_id).toBe("billing");
    const bill = await messageWith(id, "my bill");
    await runBranch(id, { kind: "branch", from: bill.id, content: "no bill" });
    expect((await threadOf(id)).agent_id).toBe("support");
    expect((await branchMessages(id)).at(-1)?.content).toBe("desk here");
    const [root] = await treeOf(id);
    expect((await checkout(id, { branch_id: root?.id ?? "" })).thread.agent_id).toBe("billing");
    // An agent that a caller has set stays.
    await value(stubOf(id).call("patch", admin, { agent_id: "support" }));
    await runBranch(id, { from: (await messageWith(id, "hello")).id });
    expect((await threadOf(id)).agent_id).toBe("support");
  });

  it("BRANCH11 A title that a message gave follows the branch, and a title that a caller set stays", async () => {
    const id = await newThread("parallel");
    await converse(id, "one");
    await converse(id, "two");
    const one = await messageWith(id, "one");
    await runBranch(id, { from: (await messageWith(id, "two")).id });
    expect((await threadOf(id)).title).toBe("one");
    await runBranch(id, { kind: "branch", from: one.id, content: "other" });
    expect((await threadOf(id)).title).toBe("other");
    const [root] = await treeOf(id);
    expect((await checkout(id, { branch_id: root?.id ?? "" })).thread.title).toBe("one");
    expect((await checkout(id, { before: one.id })).thread.title).toBeNull();
    await value(stubOf(id).call("patch", admin, { title: "mine" }));
    expect((await checkout(id, { branch_id: root?.id ?? "" })).thread.title).toBe("mine");
  });

  it("BRANCH12 Counts, the last message and pages are those of the branch; usage and cost are those of all branches", async () => {
    const id = await newThread("parallel");
    await converse(id, "one");
    await converse(id, "two");
    const before = await threadOf(id);
    await runBranch(id, { kind: "branch", from: (await messageWith(id, "two")).id, content: "three" });
    const after = await threadOf(id);
    expect(after).toMatchObject({ message_count: 4, last_message: "echo: three" });
    expect(after.usage.total_tokens).toBeGreaterThan(before.usage.total_tokens);
    const listed = await value(
      stubOf(id).call("listMessages", admin, { limit: 2, order: "asc", include_silent: true }),
    );
    expect(listed.total).toBe(4);
    const { thread } = await checkout(id, { before: (await messageWith(id, "one")).id });
    expect(thread).toMatchObject({ message_count: 0, last_message: null, usage: after.usage, cost: after.cost });
  });

  it("BRANCH13 A request on a branch contains no summary or marker of messages that the branch lacks", async () => {
    clearWindowed();
    const id = await newThread("windowed");
    for (let turn = 0; turn < 14; turn += 1) await converse(id, words(turn, 300));
    expect(windowedRequests.at(-1)?.messages.some(({ content }) => /earlier messages? w/.test(content))).toBe(true);
    const third = (await branchMessages(id))[4];
    await runBranch(id, { from: third?.id ?? "" });
    const sent = windowedRequests.at(-1)?.messages ?? [];
    expect(sent.some(({ content }) => /earlier messages? w/.test(content))).toBe(false);
    expect(sent).toHaveLength(5);
    const described = await value(stubOf(id).call("threadContext", admin, { branch: (await treeOf(id))[0]?.id ?? "" }));
    expect(described.messages.length).toBeGreaterThan(6);
  });

  it("BRANCH14 The number of files that were written after the shared part is in the answer, and the files stay", async () => {
    const id = await newThread("parallel");
    await converse(id, "one");
    const one = await messageWith(id, "one");
    const put = (path: string) =>
      runInDurableObject(env.THREADS.get(env.THREADS.idFromName(id)), async (object) => {
        const request = new Request(`https://thread/files/content?path=${path}`, { method: "PUT", body: "x" });
        request.headers.set("x-threadhold-caller", JSON.stringify(admin));
        const response = await (object as unknown as { fetch(request: Request): Promise<Response> }).fetch(request);
        expect(response.status).toBeLessThan(300);
      });
    await put("/a.txt");
    await put("/b.txt");
    const { admission } = await runBranch(id, { from: one.id });
    expect(admission.files_kept).toBe(2);
    await put("/c.txt");
    const [root] = await treeOf(id);
    expect(await checkout(id, { branch_id: root?.id ?? "" })).toMatchObject({ files_kept: 3 });
  });

  it("BRANCH15 A filter checks the text of an edit: it may change it, and a rejected edit makes no branch", async () => {
    const { filters = [] } = registry;
    const filter = defineFilter((text: string) =>
      text.includes("bad") ? { action: "reject", reason: "no bad words" } : { action: "warn", message: "be careful" },
    );
    Object.assign(registry, { filters: [...filters, { file: "words.ts", load: () => Promise.resolve(filter) }] });
    onTestFinished(() => void Object.assign(registry, { filters }));
    const id = await newThread("parallel");
    await converse(id, "one");
    const [one] = await branchMessages(id);
    const body = { kind: "branch", from: one?.id ?? "", content: "bad" };
    expect(await refusalOf(id, body)).toMatchObject({ code: "input_rejected" });
    expect(await treeOf(id)).toHaveLength(1);
    await runBranch(id, { kind: "branch", from: one?.id ?? "", content: "fine" });
    expect((await branchMessages(id))[0]?.content).toContain("be careful");
  });
});

describe("branches that are refused", () => {
  it("BRANCH16 A nested message and a silent one are refused, and the refusal names the message that contains it", async () => {
    const id = await newThread("boss");
    scriptedAnswers.set("boss", ({ step }) =>
      step === 0 ? { toolCalls: [{ name: "helper", arguments: { task: "x" } }] } : { text: "boss done" },
    );
    scriptedAnswers.set("helper", () => ({ text: "helper done" }));
    await converse(id, "go");
    const messages = await branchMessages(id);
    const nested = messages.find(({ depth, content }) => depth > 0 && content === "helper done");
    const call = messages.find(({ role, depth }) => role === "tool" && depth === 0);
    const refused = await refusalOf(id, { from: nested?.id ?? "" });
    expect(refused).toMatchObject({ code: "invalid_request", details: { message_id: call?.id } });
    expect(refused?.message).toContain(call?.id ?? "?");
    const posted = message("quiet", { silent: true, run: false });
    const silent = (await value(stubOf(id).call("postMessage", admin, posted, null))).message;
    expect(await refusalOf(id, { from: silent?.id ?? "" })).toMatchObject({
      code: "invalid_request",
      details: { message_id: messages.at(-1)?.id },
    });
    expect(await stubOf(id).call("checkout", admin, { before: nested?.id ?? "" })).toMatchObject({
      ok: false,
      refusal: { code: "invalid_request" },
    });
  });

  it("BRANCH17 A message of another thread is not found, and neither is a branch of another thread", async () => {
    const [id, other] = [await newThread("parallel"), await newThread("parallel")];
    await converse(id, "one");
    await converse(other, "two");
    const [foreign] = await branchMessages(other);
    expect(await refusalOf(id, { from: foreign?.id ?? "" })).toMatchObject({ code: "message_not_found" });
    await runBranch(other, { from: foreign?.id ?? "" });
    const branch = (await treeOf(other))[1]?.id ?? "";
    expect(await stubOf(id).call("checkout", admin, { branch_id: branch })).toMatchObject({
      ok: false,
      refusal: { code: "invalid_request" },
    });
  });

  it("BRANCH18 A thread has at most 1,000 branches; the refusal of another one names a way out", async () => {
    const id = await newThread("parallel");
    await converse(id, "one");
    const [one] = await branchMessages(id);
    await runInDurableObject(env.THREADS.get(env.THREADS.idFromName(id)), (_, { storage }) => {
      for (let at = 1; at < 1000; at += 1) {
        const branch = `b${String(at).padStart(4, "0")}`;
        storage.sql.exec("INSERT INTO branch VALUES (?, 'main', ?, 1)", branch, one?.position ?? "");
      }
    });
    await evict(id);
    const refused = await refusalOf(id, { from: one?.id ?? "" });
    expect(refused).toMatchObject({ code: "conflict", details: { limit: 1000 } });
    expect(refused?.message).toContain("in a new thread");
    expect(await stubOf(id).call("checkout", admin, { before: one?.id ?? "" })).toMatchObject({ ok: false });
    expect(await checkout(id, { branch_id: "b0500" })).toMatchObject({ thread: { branch_id: "b0500" } });
  });

  it("BRANCH19 A message of a branch that the thread is not on can be read, and not changed", async () => {
    const id = await newThread("parallel");
    await converse(id, "one");
    const [one, answer] = await branchMessages(id);
    await runBranch(id, { from: one?.id ?? "" });
    expect((await value(stubOf(id).call("getMessage", admin, answer?.id ?? ""))).content).toBe("echo: one");
    for (const change of [
      stubOf(id).call("patchMessage", admin, answer?.id ?? "", { content: "x" }),
      stubOf(id).call("deleteMessage", admin, answer?.id ?? ""),
    ]) {
      expect(await change).toMatchObject({ ok: false, refusal: { code: "conflict" } });
    }
    const shared = await value(stubOf(id).call("patchMessage", admin, one?.id ?? "", { content: "won" }));
    expect(shared.content).toBe("won");
    expect(await textsOf(id, (await treeOf(id))[0]?.id)).toEqual(["user: won", "assistant: echo: one"]);
  });
});

describe("rows of branches", () => {
  it("COST16 A rerun and a branch write at most 2 rows more than a turn, and a checkout writes 1 row", async () => {
    withoutFilterHook();
    scripts.set("plain", () => ({ text: "answer" }));
    const id = await newThread("parallel");
    await finish(id, "plain one");
    const turn = await costOf(id, () => finish(id, "plain two"));
    const from = (await messageWith(id, "plain two")).id;
    const follow = async (work: () => Promise<unknown>) =>
      costOf(id, async () => {
        await work();
        await settled(id);
      });
    const rerun = await follow(() => runBranch(id, { from }));
    const branch = await follow(() => runBranch(id, { kind: "branch", from, content: "plain three" }));
    const [root] = await treeOf(id);
    const changed = await costOf(id, () => checkout(id, { branch_id: root?.id ?? "" }));
    measured("rerun", `${rerun.written} written, ${rerun.read} read`, `≤ ${turn.written} + 2`);
    measured("branch with new text", `${branch.written} written, ${branch.read} read`, `≤ ${turn.written} + 2`);
    measured("checkout", `${changed.written} written, ${changed.read} read`, "1");
    expect(rerun.written).toBeLessThanOrEqual(turn.written + 2);
    expect(branch.written).toBeLessThanOrEqual(turn.written + 2);
    expect(changed.written).toBe(1);
    expect((await startBranch(id, { from })).run?.kind).toBe("rerun");
  });
});
