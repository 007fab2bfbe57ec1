// Calls that a client answers: the run is suspended until the results are posted, and exists only as stored rows.

import { describe, expect, it } from "vitest";

import type { ThreadEvent } from "#contract/event.ts";
import { foldAll } from "#contract/fold.ts";
import { postedResultSchema } from "#contract/tool-route.ts";
import type { PostedResult } from "#contract/tool-route.ts";
import { toBase64 } from "#lib/base64.ts";
import type { TestRequest } from "#spec/index.ts";

import { pngBytes } from "../support/memory-files.ts";
import { skip, testClock } from "../worker/clock.ts";
import { crossing } from "../worker/crossing.ts";
import { gate, scripts } from "../worker/definitions.ts";
import { soonMs } from "../worker/remote.ts";
import { waitFor, lastRunOf, messagesOf, wake } from "./team-driver.ts";
import { admin, alarmOf, crash, evict, follow, message, newThread, stubOf, value } from "./thread-driver.ts";

const isRest = ({ type }: ThreadEvent) => type === "awaiting_tool_execution";
const isEnd = ({ type }: ThreadEvent) => type === "run_end";

const ask = (q: string, name = "ask") => ({ name, arguments: { q } });

/** The requests to the model after the first one. */
let requested = 0;

/** A thread whose run waits with these calls, and the ids of the waiting calls. */
async function asking(word: string, calls: { name: string; arguments: Record<string, unknown> }[], agent = "asker") {
  scripts.set(word, ({ step }) => {
    if (step === 0) return { text: "I ask.", toolCalls: calls };
    requested += 1;
    return { text: "Thanks." };
  });
  const id = await newThread(agent);
  const following = await follow(id, { after: "0" });
  await value(stubOf(id).call("postMessage", admin, message(word), null));
  const rest = await following.until(isRest);
  const pending = rest.type === "awaiting_tool_execution" ? rest.tool_calls : [];
  return { id, following, pending, ids: pending.map((call) => call.id) };
}

const answer = (id: string, ...results: PostedResult[]) => stubOf(id).call("postToolResults", admin, { results });
const says = (tool_call_id: string | undefined, result: string): PostedResult => ({
  tool_call_id: tool_call_id ?? "",
  result,
});
const resultsOf = async (id: string) =>
  (await messagesOf(id)).filter(({ role }) => role === "tool").map(({ status, content }) => [status, content]);

describe("a call of a remote tool", () => {
  it("REMOTE1 A call of a remote tool is requested when the step's other calls are done, and is shown by event, thread and run", async () => {
    for (const agent of ["asker", "one_by_one"]) {
      const { id, following, pending } = await asking(
        `both_${agent}`,
        [ask("one"), { name: "note", arguments: { text: "x" } }, ask("two", "ask_soon")],
        agent,
      );
      expect(pending).toMatchObject([
        { name: "ask", arguments: { q: "one" }, kind: "remote" },
        { name: "ask_soon", arguments: { q: "two" }, kind: "remote" },
      ]);
      const waits = pending.map(({ deadline }) => Math.ceil(((deadline ?? 0) - testClock.now()) / 60_000_000));
      expect(waits).toEqual([24 * 60, 2]);
      expect((await resultsOf(id)).filter(([status]) => status === "complete")).toHaveLength(1);
      const types = following.events.map((event) => `${event.type} ${"tool_name" in event ? event.tool_name : ""}`);
      expect(types.indexOf("tool_execution_end note")).toBeLessThan(types.indexOf("tool_execution_start ask"));
      const thread = await value(stubOf(id).call("describe", admin));
      expect(thread).toMatchObject({ status: "awaiting_tool_execution", active_run_id: expect.any(String) });
      expect(thread.pending_tool_calls).toMatchObject(pending.map(({ id: call, name }) => ({ id: call, name })));
      expect(await lastRunOf(id)).toMatchObject({ status: "awaiting_tool_execution" });
      expect(following.events.filter(isRest)).toHaveLength(1);
      following.close();
    }
  });

  it("COST10 A waiting call of a remote tool holds no memory, and nothing wakes its run before the earliest deadline", async () => {
    const { id, following, pending } = await asking("sleeps", [ask("one"), ask("two", "ask_soon")]);
    following.close();
    await evict(id);
    const first = Math.min(...pending.map(({ deadline }) => deadline ?? 0));
    expect(await alarmOf(id)).toBe(Math.ceil(first / 1000));
  });

  it("REMOTE1 A waiting call of a remote tool is in a snapshot after an eviction, before and after some calls are answered", async () => {
    const { id, following, ids } = await asking("still_waits", [ask("one"), ask("two")]);
    const statuses = async () => {
      await evict(id);
      const late = await follow(id);
      await late.until(({ type }) => type === "snapshot");
      late.close();
      return [late.events, following.events].map((events) => {
        const { runs, active_run_id: active } = foldAll(events);
        return runs[active ?? ""]?.status;
      });
    };
    expect(await statuses()).toEqual(["awaiting_tool_execution", "awaiting_tool_execution"]);
    await value(answer(id, says(ids[1], "two!")));
    expect(await statuses()).toEqual(["awaiting_tool_execution", "awaiting_tool_execution"]);
    await value(answer(id, says(ids[0], "one!")));
    await following.until(isEnd);
    following.close();
  });

  it("REMOTE3 Calls of remote tools are answered in parts, and the model is asked once, when all results have arrived", async () => {
    const { id, following, ids } = await asking("in_parts", [ask("one"), ask("two"), ask("three")]);
    requested = 0;
    const second = await value(answer(id, says(ids[1], "two!")));
    expect(second.missing.map((call) => call.id)).toEqual([ids[0], ids[2]]);
    expect(second.run.status).toBe("awaiting_tool_execution");
    await evict(id);
    expect((await value(stubOf(id).call("describe", admin))).pending_tool_calls).toHaveLength(2);
    const rest = await value(answer(id, says(ids[2], "three!"), says(ids[0], "one!")));
    expect(rest.missing).toEqual([]);
    await following.until(isEnd);
    expect(await resultsOf(id)).toEqual([
      ["complete", "one!"],
      ["complete", "two!"],
      ["complete", "three!"],
    ]);
    expect(requested).toBe(1);
    const thread = await value(stubOf(id).call("describe", admin));
    expect(thread).toMatchObject({ status: "idle", pending_tool_calls: [] });
    const { runs } = foldAll(following.events);
    expect(Object.values(runs)).toMatchObject([{ status: "completed" }]);
    following.close();
  });

  it("REMOTE4 A call of a remote tool accepts one result: the same result again changes nothing, and another one is refused", async () => {
    const { id, following, ids } = await asking("twice", [ask("one"), ask("two")]);
    const [one = "", two = ""] = ids;
    await value(answer(id, says(one, "same"), says(one, "same")));
    await value(answer(id, says(one, "same")));
    expect(await answer(id, says(one, "other"))).toMatchObject({ ok: false, refusal: { code: "conflict" } });
    await value(answer(id, says(two, "done")));
    await following.until(isEnd);
    const after = await value(answer(id, says(one, "same"), says(two, "done")));
    expect(after).toMatchObject({ missing: [], ignored: [] });
    expect(await answer(id, says(two, "other"))).toMatchObject({ ok: false, refusal: { code: "conflict" } });
    expect(await resultsOf(id)).toEqual([
      ["complete", "same"],
      ["complete", "done"],
    ]);
    following.close();
  });

  it("REMOTE4 A call of a remote tool accepts the first of two simultaneous results", async () => {
    const { id, following, ids } = await asking("at_once", [ask("one")]);
    const answers = await Promise.all(["a", "b", "c"].map((said) => answer(id, says(ids[0], said))));
    expect(answers.filter(({ ok }) => ok)).toHaveLength(1);
    await following.until(isEnd);
    expect((await messagesOf(id)).filter(({ role }) => role === "tool")).toHaveLength(1);
    following.close();
  });

  it("REMOTE5 A request with several results of which one is invalid is refused as a whole", async () => {
    const { id, following, ids } = await asking("bad", [ask("one"), { name: "note", arguments: { text: "x" } }]);
    const [one = ""] = ids;
    const notes = (await messagesOf(id)).find(({ name }) => name === "note")?.tool_call_id;
    const good = says(one, "good");
    expect(await answer(id, good, says("call_nobody", "x"))).toMatchObject({
      refusal: { code: "tool_call_not_found" },
    });
    expect(await answer(id, good, says(notes ?? "", "x"))).toMatchObject({ refusal: { code: "conflict" } });
    expect(await answer(id, good, says(one, "other"))).toMatchObject({ refusal: { code: "conflict" } });
    const large = await answer(id, says(one, "x".repeat(1_100_000)));
    expect(large).toMatchObject({ refusal: { code: "too_large", details: { field: "results.0" } } });
    const other = await asking("another_thread", [ask("theirs")]);
    expect(await answer(id, says(other.ids[0], "x"))).toMatchObject({ refusal: { code: "tool_call_not_found" } });
    expect((await value(stubOf(id).call("describe", admin))).pending_tool_calls).toHaveLength(1);
    await value(answer(id, good));
    await following.until(isEnd);
    other.following.close();
    following.close();
  });

  it("REMOTE13 A result that does not fit its tool's schema is refused, and the call waits for one that does", async () => {
    const { id, following, ids } = await asking("place", [ask("one"), ask("two", "ask_place")]);
    const [free, place = ""] = ids;
    const refused = async (result: PostedResult) => {
      const given = await answer(id, says(free, "any text"), result);
      return given.ok ? null : [given.refusal.code, given.refusal.details, given.refusal.message];
    };
    for (const wrong of [{ people: 2 }, { place: "Lisbon", people: 1.5 }, "Lisbon", ["Lisbon"], null]) {
      const words = expect.stringContaining(`The result of the call "${place}" does not fit "ask_place".`) as string;
      const said = await refused({ tool_call_id: place, result: wrong });
      expect(said).toEqual(["invalid_request", { field: "results.1.result", tool_call_id: place }, words]);
    }
    const text = await refused({ tool_call_id: place, content: '{"place":1}' });
    expect(text?.slice(0, 2)).toEqual(["invalid_request", { field: "results.1.content", tool_call_id: place }]);
    // The bound is checked before the text is parsed. The text turns out not to be JSON.
    const many = await refused({ tool_call_id: place, content: `[${"1,".repeat(100_001)}` });
    const details = { field: "results.1.content", tool_call_id: place, bound: "values", limit: 100_000 };
    expect(many?.slice(0, 2)).toEqual(["too_large", details]);
    expect((await value(stubOf(id).call("describe", admin))).pending_tool_calls).toHaveLength(2);
    await value(stubOf(id).call("stop", admin, null));
    await following.until(isEnd);
    following.close();
  });

  it("REMOTE13 A result that fits its tool's schema is accepted, text is read as JSON, and a failure is always accepted", async () => {
    const calls = ["one", "two", "three"].map((q) => ask(q, "ask_place"));
    const { id, following, ids } = await asking("fits", calls);
    const [place = "", written = "", failed = ""] = ids;
    const first = { tool_call_id: place, result: { place: "Lisbon", people: 2, weather: "not asked for" } };
    await value(answer(id, first));
    // The accepted value is the one that is compared from then on.
    expect(await answer(id, { tool_call_id: place, result: 1 })).toMatchObject({ refusal: { code: "conflict" } });
    await value(answer(id, first, { tool_call_id: written, content: '{ "place": "Oslo" }' }));
    await value(answer(id, { tool_call_id: failed, error: "nobody there" }));
    await following.until(isEnd);
    expect((await resultsOf(id)).map(([, content]) => content)).toEqual([
      '{"place":"Lisbon","people":2}',
      '{"place":"Oslo"}',
      "nobody there",
    ]);
    following.close();
  });

  it("REMOTE6 A call of a remote tool without a result in time has an error result, and a later result is ignored", async () => {
    const { id, following, ids } = await asking("too_late", [ask("quick", "ask_soon")]);
    await evict(id);
    skip(soonMs + 1000);
    expect(await wake(id)).toBe(true);
    await following.until(isEnd);
    expect(await resultsOf(id)).toEqual([["complete", 'Nobody answered the call of "ask_soon" within 90 seconds.']]);
    const late = await value(answer(id, says(ids[0], "sorry")));
    expect(late).toMatchObject({ ignored: ids, missing: [], run: { status: "completed" } });
    const logs = await value(stubOf(id).call("listLogs", admin, { limit: 50, order: "asc", type: "tool_call" }));
    expect(logs.items.map(({ data }) => data["what"])).toContain("late_result");
    following.close();
  });

  it("REMOTE7 A stop answers a call of a remote tool with an error", async () => {
    const { id, following, ids } = await asking("stopped", [ask("one")]);
    await evict(id);
    await value(stubOf(id).call("stop", admin, null));
    await following.until(isEnd);
    expect(await lastRunOf(id)).toMatchObject({ status: "stopped" });
    const [call] = (await messagesOf(id)).filter(({ role }) => role === "tool");
    expect(call).toMatchObject({ status: "complete", result: { status: "error" } });
    expect(await value(stubOf(id).call("describe", admin))).toMatchObject({ status: "idle", pending_tool_calls: [] });
    expect(await value(answer(id, says(ids[0], "late")))).toMatchObject({ ignored: ids });
    following.close();
  });

  it("REMOTE8 A call of a remote tool survives a crash while it waits, and one right after its result", async () => {
    const { id, ids } = await asking("crashes", [ask("one"), ask("two")]);
    await crash(id);
    await value(answer(id, says(ids[0], "one!")));
    await crash(id);
    expect((await value(stubOf(id).call("describe", admin))).pending_tool_calls).toHaveLength(1);
    await value(answer(id, says(ids[1], "two!")));
    await crash(id);
    await wake(id);
    await waitFor(async () => (await lastRunOf(id)).status === "completed");
    expect(await resultsOf(id)).toEqual([
      ["complete", "one!"],
      ["complete", "two!"],
    ]);
  });

  it("REMOTE9 The result of a remote tool reaches the model and the transcript like that of a local tool", async () => {
    const { id, following, ids } = await asking("words", [ask("one"), ask("two"), ask("three")]);
    await value(
      answer(
        id,
        { tool_call_id: ids[0] ?? "", error: "The client refuses." },
        { tool_call_id: ids[1] ?? "", result: { rows: [1, 2] }, details: { took: 3 } },
        {
          tool_call_id: ids[2] ?? "",
          content: [
            { type: "text", text: "a" },
            { type: "text", text: "b" },
          ],
        },
      ),
    );
    await following.until(isEnd);
    const tools = (await messagesOf(id)).filter(({ role }) => role === "tool");
    expect(tools.map(({ result }) => result)).toEqual([
      { status: "error", error: "The client refuses." },
      { status: "success", result: '{"rows":[1,2]}', details: { took: 3 } },
      { status: "success", result: "ab" },
    ]);
    const ends = following.events.flatMap((event) => (event.type === "tool_execution_end" ? [event.is_error] : []));
    expect(ends).toEqual([true, false, false]);
    following.close();
  });

  it("REMOTE14 The images and files of a posted result become files of the thread, and the model receives the images", async () => {
    const { id, following, ids } = await asking("pictures", [ask("one"), ask("two")]);
    const sent = crossing<TestRequest>();
    scripts.set("pictures", (request) => {
      sent.resolve(request);
      return { text: "Thanks." };
    });
    const data = toBase64(pngBytes(90));
    const image = { type: "image", mime_type: "image/png", name: "chart.png", data } as const;
    const first: PostedResult = {
      tool_call_id: ids[0] ?? "",
      content: [
        { type: "text", text: "A chart." },
        image,
        { type: "file", mime_type: "text/plain", data: btoa("One") },
      ],
    };
    await value(answer(id, first));
    // The same answer, sent again, changes nothing, and another image is another answer.
    await value(answer(id, first));
    const other = { ...first, content: [{ ...image, data: toBase64(pngBytes(80)) }] };
    expect(await answer(id, other)).toMatchObject({ ok: false, refusal: { code: "conflict" } });
    await evict(id);
    const missing = { type: "image", mime_type: "image/png", path: "/gone.png" } as const;
    await value(answer(id, { tool_call_id: ids[1] ?? "", content: [missing] }));
    await following.until(isEnd);
    following.close();
    const [shown, lost] = (await messagesOf(id)).filter(({ role }) => role === "tool").map(({ result }) => result);
    expect(shown).toMatchObject({
      status: "success",
      result: "A chart.",
      attachments: [
        { name: "chart.png", mimeType: "image/png", size: pngBytes(90).length },
        { mimeType: "text/plain", size: 3 },
      ],
    });
    expect(lost?.result).toContain("this thread has no such file");
    const { messages } = await sent.promise;
    const path = shown?.attachments?.[0]?.path;
    expect(messages.find(({ role }) => role === "tool")?.attachments).toEqual([
      { mimeType: "image/png", path, size: pngBytes(90).length },
    ]);
  });

  it("REMOTE14 An image or a file of a posted result has either bytes or a path, and an image has the media type of an image", () => {
    const image = { type: "image", mime_type: "image/png" };
    const parse = (part: object) => postedResultSchema.safeParse({ tool_call_id: "c", content: [part] }).success;
    expect(
      [
        { ...image, data: "aGk=" },
        { ...image, path: "/a.png" },
      ].map(parse),
    ).toEqual([true, true]);
    const refused = [
      image,
      { ...image, data: "aGk=", path: "/a.png" },
      { ...image, data: "not base64!" },
      { ...image, url: "https://example.com/a.png" },
      { ...image, mime_type: "text/plain", data: "aGk=" },
      { type: "file", mime_type: "text/plain" },
    ];
    expect(refused.map(parse)).toEqual(refused.map(() => false));
  });

  it("REMOTE1 A call of a remote tool is not requested while another call of its step still runs", async () => {
    const paused = gate("slow client");
    scripts.set("early", ({ step }) =>
      step === 0
        ? { toolCalls: [ask("one"), { name: "wait", arguments: { gate: "slow client" } }] }
        : { text: "Thanks." },
    );
    const id = await newThread("asker");
    const following = await follow(id, { after: "0" });
    await value(stubOf(id).call("postMessage", admin, message("early"), null));
    await paused.reached;
    expect((await value(stubOf(id).call("describe", admin))).pending_tool_calls).toEqual([]);
    paused.open();
    const rest = await following.until(isRest);
    const [call] = rest.type === "awaiting_tool_execution" ? rest.tool_calls : [];
    await value(answer(id, says(call?.id, "now")));
    await following.until(isEnd);
    expect(await lastRunOf(id)).toMatchObject({ status: "completed" });
    following.close();
  });

  it("REMOTE11 A stream that lasts until the thread is idle ends when a call of a remote tool begins to wait", async () => {
    const { id, following, ids } = await asking("idle", [ask("one")]);
    const late = await follow(id, { after: "0", until: "idle" });
    expect(await late.closed).toBe(1000);
    expect(late.events.at(-1)?.type).toBe("awaiting_tool_execution");
    await evict(id);
    const later = await follow(id, { after: String(late.events.at(-1)?.seq), until: "idle" });
    expect(await later.closed).toBe(1000);
    await value(answer(id, says(ids[0], "now")));
    const end = await follow(id, { after: "0", until: "idle" });
    await end.closed;
    expect(end.events.some(isEnd)).toBe(true);
    following.close();
  });
});
