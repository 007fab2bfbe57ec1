// Messages that end the active run and are answered at once.

import { beforeEach, describe, expect, it } from "vitest";

import { effects } from "../worker/definitions.ts";
import { scriptedAnswers } from "../worker/team.ts";
import { atRest, busy, queueOf, suspended, said, say, steer, unique } from "./queue-client.ts";
import { resetAgents, waitFor, lastRunOf, panelWaitingFor, whenSuspended } from "./team-driver.ts";
import { admin, crash, evict, follow, message, newThread, stubOf, types, value } from "./thread-driver.ts";

beforeEach(resetAgents);

const interrupt = (id: string, text: string) => say(id, text, { when: "interrupt" });

const ends = (events: Awaited<ReturnType<typeof atRest>>) =>
  events.flatMap((event) => (event.type === "run_end" ? [[event.run_id, event.status]] : []));

describe("a message that interrupts", () => {
  it("A message with when=interrupt ends the active run, gives its open calls error results, and is answered before all waiting inputs", async () => {
    const word = unique();
    const { id, runId } = await busy("sequential", (name) => [
      { name: "wait", arguments: { gate: name } },
      { name: "note", arguments: { text: word } },
    ]);
    const behind = await say(id, "behind");
    await steer(id, "aside");
    const now = await interrupt(id, "now");
    expect(now).toMatchObject({ run: { status: "queued" }, message: { content: "now", run_id: now.run?.id } });
    const events = await atRest(id);
    expect((await said(id)).slice(1)).toEqual([
      "assistant: calls",
      "tool error",
      "tool error",
      "user: now",
      "assistant: echo: now",
      "user: aside",
      "assistant: echo: aside",
      "user: behind",
      "assistant: echo: behind",
    ]);
    expect(effects).not.toContain(`note ${word}`);
    expect(ends(events)).toMatchObject([
      [runId, "stopped"],
      [now.run?.id, "completed"],
      [expect.any(String), "completed"],
      [behind.run?.id, "completed"],
    ]);
  });

  it("A message with when=interrupt ends a run that waits to retry a request to its model", async () => {
    const { id, runId, name } = await suspended();
    await evict(id);
    const now = await interrupt(id, "now");
    const events = await atRest(id);
    expect(ends(events)).toEqual([
      [runId, "stopped"],
      [now.run?.id, "completed"],
    ]);
    expect(await said(id)).toEqual([`user: ${name}`, "user: now", "assistant: echo: now"]);
  });

  it("A message with when=interrupt ends a run that waits for a child thread, and also the child's run", async () => {
    panelWaitingFor(new Promise(() => {}));
    const id = await newThread("boss");
    const following = await follow(id, { after: "0" });
    await say(id, "go");
    await following.until(({ type }) => type === "subagent_start");
    const start = following.events.find((event) => event.type === "subagent_start");
    following.close();
    await whenSuspended(id);
    scriptedAnswers.set("boss", () => ({ text: "boss now" }));
    await interrupt(id, "now");
    await atRest(id);
    expect(await said(id)).toEqual(["user: go", "assistant: calls", "tool error", "user: now", "assistant: boss now"]);
    await waitFor(async () => (await lastRunOf(start?.child_thread_id ?? "")).status === "stopped");
  });

  it("A crash right after a message with when=interrupt loses neither the stop of the active run nor the message", async () => {
    const { id, runId } = await busy();
    const key = { key: "k", fingerprint: "f" };
    const post = () => value(stubOf(id).call("postMessage", admin, message("now", { when: "interrupt" }), key));
    const now = await post();
    await crash(id);
    // The response may have been lost with the object.
    expect(await post()).toMatchObject({ repeated: true, run: { id: now.run?.id } });
    const events = await atRest(id);
    expect(ends(events)).toEqual([
      [runId, "stopped"],
      [now.run?.id, "completed"],
    ]);
    expect((await said(id)).slice(2)).toEqual(["tool error", "user: now", "assistant: echo: now"]);
  });

  it("A message with when=interrupt that is repeated with its idempotency key interrupts once", async () => {
    const { id } = await busy();
    const key = { key: "k", fingerprint: "f" };
    const post = () => value(stubOf(id).call("postMessage", admin, message("now", { when: "interrupt" }), key));
    const [one, two] = await Promise.all([post(), post()]);
    expect(one.run?.id).toBe(two.run?.id);
    const events = await atRest(id);
    expect(types(events).filter((type) => type === "run_start")).toHaveLength(2);
    await post();
    expect(await atRest(id)).toHaveLength(events.length);
  });

  it("A message with when=interrupt in an idle thread is answered at once, before inputs that a stop paused", async () => {
    const { id } = await busy();
    await say(id, "held");
    await value(stubOf(id).call("stop", admin, null));
    await atRest(id);
    const now = await interrupt(id, "now");
    await atRest(id);
    expect((await said(id)).slice(3)).toEqual([
      "user: now",
      "assistant: echo: now",
      "user: held",
      "assistant: echo: held",
    ]);
    expect((await value(stubOf(id).call("getRun", admin, now.run?.id ?? ""))).status).toBe("completed");
    const alone = await newThread("parallel");
    expect((await interrupt(alone, "alone")).run?.status).toBe("running");
    await atRest(alone);
  });

  it.each(["steer", "interrupt"] as const)("A message with run=false and when=%s is refused", async (when) => {
    const { id, open } = await busy();
    const refused = await stubOf(id).call("postMessage", admin, message("no", { when, run: false }), null);
    expect(refused).toMatchObject({ ok: false, refusal: { code: "invalid_request" } });
    expect(await queueOf(id)).toEqual([]);
    open();
    await atRest(id);
    expect(await said(id)).toHaveLength(4);
  });
});
