// The webhook for calls that begin to wait, as a receiver gets it over HTTP: its content, its signature, its repetitions, and that a
// receiver, whatever it does, changes nothing in a run.

import { afterEach, beforeEach, describe, expect, inject, it, vi } from "vitest";

import type { Thread } from "#contract/thread.ts";

import { isSigned, receivedWebhooks } from "../support/webhook-receiver/received.ts";
import { skip, testClock } from "../worker/clock.ts";
import { scripts } from "../worker/definitions.ts";
import { webhookVariables } from "../worker/webhook.ts";
import { answer, approve, ask, resetAnswers, named, pay, says, script, send, shown } from "./answer-client.ts";
import { costOf, settled } from "./cost-table.ts";
import { setServer } from "./mcp-driver.ts";
import { latch, waitFor, lastRunOf, wake } from "./team-driver.ts";
import { admin, alarmOf, crash, evict, message, newThread, stubOf, value } from "./thread-driver.ts";

const receiver = inject("webhookReceiver");
const secret = `whsec_${btoa("a key of the tests, 32 bytes long")}`;

let scope = "";

/** Threads that are loaded from now on send the webhook to a receiver that behaves in this way. */
function sends(way = "ok", variables: Record<string, string> = {}): void {
  scope = `${way}-${crypto.randomUUID()}`;
  webhookVariables.current = {
    WAITING_WEBHOOK_URL: `${receiver}/${scope}`,
    WAITING_WEBHOOK_SECRET: secret,
    ...variables,
  };
}

interface Body {
  type: string;
  timestamp: string;
  data: Pick<Thread, "agent_id" | "user_id"> & {
    thread_id: string;
    title?: string;
    calls: Thread["pending_tool_calls"];
  };
}

/** The received webhooks, once there are at least `count`. */
async function received(count: number) {
  const all = await receivedWebhooks(receiver, scope, count);
  return all.map((one) => ({ ...one, id: one.headers["webhook-id"] ?? "", sent: JSON.parse(one.body) as Body }));
}

/** A thread that waits with this many calls. */
async function waitsWith(agent: string, text: string, count: number, extra: object = {}) {
  const id = await newThread(agent, extra);
  await value(stubOf(id).call("postMessage", admin, message(text), null));
  const calls = await waitFor(async () => {
    const pending = await shown(id);
    return pending.length === count && pending;
  });
  return { id, calls };
}

/** Puts the clock forward to the thread's alarm, and lets it fire. */
async function wakeWhenDue(id: string): Promise<number> {
  const alarm = await alarmOf(id);
  if (alarm === null) throw new Error("The thread has no alarm.");
  const pause = alarm - testClock.now() / 1000;
  skip(pause);
  expect(await wake(id)).toBe(true);
  await evict(id);
  return pause;
}

const completes = (id: string) => waitFor(async () => (await lastRunOf(id)).status === "completed");

beforeEach(() => {
  resetAnswers();
  vi.spyOn(console, "error").mockImplementation(() => undefined);
});

afterEach(() => {
  webhookVariables.current = {};
  vi.restoreAllMocks();
});

describe("a webhook", () => {
  it("INBOX3 A webhook names the thread and its waiting calls, is signed, and has no arguments and no title", async () => {
    sends();
    script("webhook_one", [pay("Ada"), ask("a secret question")]);
    const { id, calls } = await waitsWith("payer", "webhook_one", 2, { title: "Private title", user_id: "ada" });
    const [webhook] = await received(1);
    expect(webhook?.method).toBe("POST");
    expect(webhook?.headers).toMatchObject({ "content-type": "application/json" });
    expect(webhook && (await isSigned(webhook, secret))).toBe(true);
    expect(webhook && (await isSigned({ ...webhook, body: `${webhook.body} ` }, secret))).toBe(false);
    const seconds = Number(webhook?.headers["webhook-timestamp"]);
    expect(Math.abs(seconds - testClock.now() / 1e6)).toBeLessThan(3600);
    expect(webhook?.sent).toEqual({
      type: "thread.waiting",
      timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/) as string,
      data: {
        thread_id: id,
        agent_id: "payer",
        user_id: "ada",
        calls: calls.map((call) => {
          const { arguments: _, ...sent } = call;
          return sent;
        }),
      },
    });
    for (const text of ["secret question", "Private title", "webhook_one"]) expect(webhook?.body).not.toContain(text);
  });

  it("INBOX3 A webhook has titles and arguments if WAITING_WEBHOOK_CONTENT is true", async () => {
    sends("ok", { WAITING_WEBHOOK_CONTENT: "true" });
    script("webhook_content", [pay("Ada")]);
    await waitsWith("payer", "webhook_content", 1, { title: "Order" });
    const [webhook] = await received(1);
    expect(webhook?.sent.data).toMatchObject({ title: "Order", calls: [{ arguments: { to: "Ada", amount: 5 } }] });
  });

  it("INBOX3 A call that still waits is not sent again when another call of its step is answered, and a new call is sent", async () => {
    sends();
    script("webhook_partly", [pay("Ada"), ask("why")]);
    const { id, calls } = await waitsWith("payer", "webhook_partly", 2);
    await value(answer(id, says(named(calls, "ask"), "because")));
    await value(answer(id, approve(named(calls, "pay"))));
    await completes(id);
    script("webhook_later", [ask("again")]);
    await value(stubOf(id).call("postMessage", admin, message("webhook_later"), null));
    const [first, second, ...others] = await received(2);
    expect(others).toEqual([]);
    expect(first?.sent.data.calls).toHaveLength(2);
    expect(second?.sent.data.calls).toMatchObject([{ name: "ask", kind: "remote" }]);
    expect(second?.id).not.toBe(first?.id);
    await evict(id);
    expect(await received(2)).toHaveLength(2);
  });

  it("INBOX3 A webhook names only the calls that began to wait since the previous one, while others still wait", async () => {
    sends();
    const closed = latch();
    script("webhook_both", [send("pay_room", "webhook_early"), send("pay_room", "webhook_late")]);
    script("webhook_early", [pay("Ada")]);
    scripts.set("webhook_late", async ({ step }) => {
      if (step > 0) return { text: "done" };
      await closed.passed;
      return { toolCalls: [pay("Bob")] };
    });
    const { id, calls } = await waitsWith("house", "webhook_both", 1);
    const [first] = await received(1);
    closed.open();
    const both = await waitFor(async () => {
      const pending = await shown(id);
      return pending.length === 2 && pending;
    });
    const [, second] = await received(2);
    expect(first?.sent.data.calls.map((call) => call.id)).toEqual([calls[0]?.id]);
    expect(second?.sent.data.calls.map((call) => call.id)).toEqual(
      both.map((call) => call.id).filter((call) => call !== calls[0]?.id),
    );
  });

  it("INBOX3 A call of a child thread is sent once, by the root thread, with the child's id", async () => {
    sends();
    script("webhook_top", [send("pay_room", "webhook_inside")]);
    script("webhook_inside", [pay("Ada")]);
    const { id, calls } = await waitsWith("house", "webhook_top", 1);
    const child = calls[0]?.thread_id ?? "";
    await evict(child);
    await evict(id);
    const webhooks = await received(1);
    expect(webhooks.map(({ sent }) => sent.data)).toMatchObject([{ thread_id: id, calls: [{ thread_id: child }] }]);
  });

  it("INBOX3 The question of a running call is sent once, without its text, and no webhook is sent for its answer", async () => {
    sends();
    const server = setServer("everything", "bad/asking", { elicitation: true });
    const requestedSchema = { type: "object", properties: { name: { type: "string" } }, required: ["name"] };
    const questions = [{ message: "Who are you?", requestedSchema }];
    script("webhook_question", [{ name: "everything__ask", arguments: { questions } }]);
    const { id, calls } = await waitsWith("mcp", "webhook_question", 1);
    const [webhook] = await received(1);
    const { arguments: shownQuestion, ...question } = calls[0] ?? { arguments: undefined };
    expect(shownQuestion).toMatchObject({ message: "Who are you?" });
    expect(question).toMatchObject({ name: "everything__ask", kind: "question" });
    expect(webhook?.sent.data.calls).toEqual([question]);
    expect(webhook?.body).not.toContain("Who are you?");
    await value(answer(id, { tool_call_id: named(calls, "everything__ask"), result: { name: "Ada" } }));
    await completes(id);
    await server.idle();
    await evict(id);
    expect(await received(1)).toHaveLength(1);
  });
});

describe("a receiver that fails", () => {
  it("INBOX4 A webhook that was not accepted is sent again under the same id, with a new signature, until it is accepted", async () => {
    sends("once");
    script("webhook_again", [pay("Ada")]);
    const { id } = await waitsWith("payer", "webhook_again", 1);
    await received(1);
    await evict(id);
    expect(Math.round((await wakeWhenDue(id)) / 1000)).toBe(5);
    const [first, second, ...others] = await received(2);
    expect(others).toEqual([]);
    expect(second?.id).toBe(first?.id);
    expect(second?.body).toBe(first?.body);
    expect(Number(second?.headers["webhook-timestamp"])).toBeGreaterThan(Number(first?.headers["webhook-timestamp"]));
    expect(second && (await isSigned(second, secret))).toBe(true);
  });

  it("INBOX4 A webhook is given up after 13 attempts with growing pauses, and the thread has then only the alarm of the call", async () => {
    sends("fail");
    script("webhook_dead", [ask("why")]);
    const { id, calls } = await waitsWith("asker", "webhook_dead", 1);
    await evict(id);
    const pauses: number[] = [];
    for (let retry = 0; retry < 12; retry += 1) pauses.push(Math.round((await wakeWhenDue(id)) / 1000));
    expect(pauses).toEqual([5, 10, 20, 40, 80, 160, 320, 640, 1280, 2560, 3600, 3600]);
    expect(await received(13)).toHaveLength(13);
    expect(await alarmOf(id)).toBe(Math.ceil((calls[0]?.deadline ?? 0) / 1000));
    await value(answer(id, says(calls[0]?.id ?? "", "because")));
    await completes(id);
  });

  it("INBOX4 A redirect of the receiver is not followed and counts as a failure", async () => {
    sends("move");
    script("webhook_moved", [pay("Ada")]);
    const { id } = await waitsWith("payer", "webhook_moved", 1);
    await evict(id);
    await wakeWhenDue(id);
    expect(await received(2)).toHaveLength(2);
    expect(await receivedWebhooks(receiver, `moved-${scope}`, 0)).toEqual([]);
  });

  it("INBOX4 A call is not sent again if it was answered before the next attempt", async () => {
    sends("fail");
    script("webhook_over", [pay("Ada")]);
    const { id, calls } = await waitsWith("payer", "webhook_over", 1);
    await evict(id);
    await value(answer(id, approve(calls[0]?.id ?? "")));
    await completes(id);
    await settled(id);
    expect(await received(1)).toHaveLength(1);
  });

  it("INBOX4 A run continues and ends while the receiver does not answer", async () => {
    sends("hold");
    script("webhook_held", [pay("Ada")]);
    const { id, calls } = await waitsWith("payer", "webhook_held", 1);
    await received(1);
    await value(answer(id, approve(calls[0]?.id ?? "")));
    await completes(id);
    await fetch(`${receiver}/${scope}/release`, { method: "POST" });
    await settled(id);
    expect(await received(1)).toHaveLength(1);
  });

  it("INBOX4 If an attempt fails, a call that began to wait during the attempt is sent after it, under a new id", async () => {
    sends("lose");
    script("webhook_lost", [pay("Ada")]);
    const { id, calls } = await waitsWith("payer", "webhook_lost", 1);
    await received(1);
    await value(answer(id, approve(calls[0]?.id ?? "")));
    await completes(id);
    script("webhook_added", [ask("why")]);
    await value(stubOf(id).call("postMessage", admin, message("webhook_added"), null));
    const [added] = await waitFor(async () => {
      const pending = await shown(id);
      return pending.length === 1 && pending;
    });
    await fetch(`${receiver}/${scope}/release`, { method: "POST" });
    const [first, second] = await received(2);
    expect(second?.id).not.toBe(first?.id);
    expect(second?.sent.data.calls).toMatchObject([{ id: added?.id, name: "ask" }]);
    await value(answer(id, says(added?.id ?? "", "because")));
    await completes(id);
    await settled(id);
    expect(await received(2)).toHaveLength(2);
  });

  it("INBOX4 A webhook is sent again under the same id if its thread crashed during the request", async () => {
    sends("hold");
    script("webhook_crash", [pay("Ada")]);
    const { id } = await waitsWith("payer", "webhook_crash", 1);
    await received(1);
    await crash(id);
    expect(await wake(id)).toBe(true);
    const [first, second] = await received(2);
    expect(second?.id).toBe(first?.id);
    await fetch(`${receiver}/${scope}/release`, { method: "POST" });
  });
});

describe("rows", () => {
  it("INBOX5 A webhook writes at most one row in the thread for each wait, and none in a turn that does not wait", async () => {
    const written: Record<string, number[]> = { plain: [], waits: [] };
    for (const isSent of [false, true]) {
      if (isSent) sends();
      script("webhook_rows", [pay("Ada")]);
      const id = await newThread("payer");
      const plain = await costOf(id, async () => {
        await value(stubOf(id).call("postMessage", admin, message("webhook_plain"), null));
        await completes(id);
        await settled(id);
      });
      const waits = await costOf(id, async () => {
        await value(stubOf(id).call("postMessage", admin, message("webhook_rows"), null));
        const [call] = await waitFor(async () => {
          const pending = await shown(id);
          return pending.length === 1 && pending;
        });
        if (isSent) await received(1);
        // The work after the beginning of the wait is done.
        await waitFor(async () => (await alarmOf(id)) === Math.ceil((call?.deadline ?? 0) / 1000));
        await value(answer(id, approve(call?.id ?? "")));
        await completes(id);
        await settled(id);
      });
      written["plain"]?.push(plain.written);
      written["waits"]?.push(waits.written);
    }
    expect(written["plain"]?.[1]).toBe(written["plain"]?.[0]);
    expect((written["waits"]?.[1] ?? 0) - (written["waits"]?.[0] ?? 0)).toBeLessThanOrEqual(1);
  });
});
