// Each invariant of a transcript, broken in the transcript of a real thread.

import { startThread, text, toolCall } from "threadhold/testing";
import { beforeAll, describe, expect, it } from "vitest";

import type { ThreadEvent } from "#contract/event.ts";
import type { Message } from "#contract/thread-message.ts";
import { orderProblems, transcriptProblems } from "#testing/transcript-invariants.ts";

describe("the invariants of a transcript", () => {
  let events: ThreadEvent[] = [];
  let messages: Message[] = [];
  let runId = "";

  beforeAll(async () => {
    const thread = await startThread("support_desk", {
      answers: [toolCall("look_up_order", { order: "1042" }), text("Paid.")],
    });
    runId = (await thread.send("Is order 1042 paid?")).id;
    events = [...thread.events];
    messages = await thread.messages();
  });

  const end = (): ThreadEvent => events.find(({ type }) => type === "run_end") as ThreadEvent;
  const toolMessage = (): Message => messages.find(({ role }) => role === "tool") as Message;

  it("The transcript of a complete turn breaks no invariant", () => {
    expect([...transcriptProblems({ events, messages }), ...orderProblems(events)]).toEqual([]);
  });

  it("The check of a transcript names the numbers of a missing event and of a late one", () => {
    const at = events.findIndex(({ type }) => type === "message_end");
    const [before, missing, after] = events.slice(at - 1, at + 2);
    expect(orderProblems(events.toSpliced(at, 1))).toEqual([
      `The event ${String(after?.seq)} (${String(after?.type)}) states ${String(missing?.seq)} as the number of the event before it, ` +
        `which is ${String(before?.seq)}.`,
    ]);
    expect(orderProblems([...events, events[at] as ThreadEvent])).toEqual([
      expect.stringMatching(/^The event \d+ \(message_end\) follows event \d+ \(/),
    ]);
  });

  it("An event that is missing at the beginning or at the end of a subscription is reported", () => {
    const lastSeq = end().seq;
    expect(transcriptProblems({ events, messages, lastSeq })).toEqual([]);
    const [first, second] = events;
    expect(transcriptProblems({ events: events.slice(1), messages, lastSeq })).toContain(
      `The event ${String(second?.seq)} (${String(second?.type)}) states ${String(first?.seq)} as the number of the event before it, ` +
        "which is 0.",
    );
    expect(orderProblems(events.slice(1), first?.seq)).toEqual([]);
    expect(orderProblems([{ seq: 9, type: "snapshot", prev: 0 }], 4)).toEqual([]);
    expect(transcriptProblems({ events: events.slice(0, -1), messages, lastSeq })).toContain(
      `The events end with number ${String(lastSeq - 1)}, and the last event of the thread has number ${String(lastSeq)}.`,
    );
  });

  it("An event of a run that has not started is reported, except the end of a queued run that was stopped", () => {
    const start = events.find(({ type }) => type === "run_start");
    const ofRun = events.filter((event) => event.run_id === runId && event !== start);
    expect(transcriptProblems({ events: events.filter((event) => event !== start), messages })).toEqual(
      expect.arrayContaining(
        ofRun.map(({ seq, type }) => `The run ${runId} has the event ${String(seq)} (${type}) before its start.`),
      ),
    );
    const { seq } = end();
    const stopped = { ...end(), seq: seq + 1, prev: seq, run_id: "queued", status: "stopped" } as ThreadEvent;
    expect(transcriptProblems({ events: [...events, stopped], messages })).toEqual([]);
    const failed = { ...stopped, status: "error" } as ThreadEvent;
    expect(transcriptProblems({ events: [...events, failed], messages })).toEqual([
      `The run queued has the event ${String(seq + 1)} (run_end) before its start.`,
    ]);
  });

  it("A run that starts while another one is active is reported", () => {
    const last = end();
    const start = { ...events.find(({ type }) => type === "run_start"), seq: last.seq, prev: last.prev } as ThreadEvent;
    const other = [
      { ...start, run_id: "other" },
      { ...last, seq: last.seq + 1, prev: last.seq, run_id: "other" },
      { ...last, seq: last.seq + 2, prev: last.seq + 1 },
    ];
    expect(transcriptProblems({ events: [...events.slice(0, -1), ...other], messages })).toEqual([
      `The run other starts while the run ${runId} is active.`,
    ]);
  });

  it("The check of a transcript names a run that ends twice, starts twice or never ends", () => {
    const last = end();
    const again = { ...last, seq: last.seq + 1, prev: last.seq };
    expect(transcriptProblems({ events: [...events, again], messages })).toEqual([
      `The run ${runId} has the event ${String(again.seq)} (run_end) after its end.`,
    ]);
    const start = events.find(({ type }) => type === "run_start") as ThreadEvent;
    expect(transcriptProblems({ events: [start, ...events], messages })).toContain(`The run ${runId} starts twice.`);
    expect(transcriptProblems({ events: events.filter((event) => event !== last), messages })).toEqual([
      `The run ${runId} has started and not ended.`,
    ]);
  });

  it("The check of a transcript names a call without a result, and a result without its call", () => {
    const { id, tool_call_id } = toolMessage();
    const call = `The call ${String(tool_call_id)} (look_up_order)`;
    const withoutResult = messages.filter((message) => message.id !== id);
    expect(transcriptProblems({ events, messages: withoutResult })[0]).toBe(`${call} has 0 results.`);
    const twice = [...messages, { ...toolMessage(), id: "again" }];
    expect(transcriptProblems({ events, messages: twice })).toContain(`${call} has 2 results.`);
    const withoutCall = messages.filter(({ parts }) => !parts.some(({ type }) => type === "tool_call"));
    expect(transcriptProblems({ events, messages: withoutCall })[0]).toBe(
      `The tool message ${id} answers the call ${String(tool_call_id)}, which does not exist before it.`,
    );
  });

  it("A result that does not follow the message of its call is reported", () => {
    const result = toolMessage();
    const call = messages.findIndex(({ parts }) => parts.some(({ type }) => type === "tool_call"));
    const broken = `The tool message ${result.id} does not follow the message of its call ${String(result.tool_call_id)}.`;
    const user = { ...(messages[0] as Message), id: "between" };
    expect(transcriptProblems({ events, messages: messages.toSpliced(call + 1, 0, user) })).toContain(broken);
    const ofNestedLoop = { ...user, parent_id: result.id, depth: 1 };
    expect(transcriptProblems({ events, messages: messages.toSpliced(call + 1, 0, ofNestedLoop) })).not.toContain(
      broken,
    );
    const late = [...messages.filter((message) => message !== result), result];
    expect(transcriptProblems({ events, messages: late })).toContain(broken);
  });

  it("The check of a transcript shows both forms of a stored message that differs from its events", () => {
    const changed = messages.map((message, at) => (at === 0 ? { ...message, content: "Changed" } : message));
    expect(transcriptProblems({ events, messages: changed })).toEqual([
      expect.stringMatching(
        /^The events and the stored messages differ at message 0: .*Is order 1042 paid\?.*"Changed"/,
      ),
    ]);
  });
});
