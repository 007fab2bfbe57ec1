// The compaction of any conversation to any budget: what is sent stays legal, fits, and keeps its beginning until the next compaction.

import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { compact, contextTokens, projectedTokens } from "#core/context/compact.ts";
import type { CompactOptions } from "#core/context/compact.ts";
import { PositionedMessages, cutMiddle, project, shortenLines, wholeProjection } from "#core/context/projection.ts";
import type { Projection } from "#core/context/projection.ts";
import { textTokens } from "#core/model/estimate-tokens.ts";
import type { ModelMessage } from "#core/ports/model-port.ts";
import type { StoredPart } from "#core/record/record.ts";
import { repair } from "#core/request/repair.ts";
import { checkTranscript } from "#models/provider/test/transcript-check.ts";

const seed = Date.now() % 2 ** 31;
const runs = { numRuns: 300, seed };

const text = (value: string): StoredPart => ({ type: "text", text: value });

function message(id: string, role: ModelMessage["role"], parts: StoredPart[]): ModelMessage {
  return { id, role, parts, name: null, tool_call_id: null, result: null };
}

function resultOf(id: string, result: string): ModelMessage {
  const parts = [text(result)];
  return {
    ...message(`r-${id}`, "tool", parts),
    name: "look",
    tool_call_id: id,
    result: { status: "success", result },
  };
}

const turn = fc.record({
  words: fc.nat(80),
  calls: fc.nat(3),
  lines: fc.nat(120),
  image: fc.boolean(),
  answer: fc.nat(80),
});

function messagesOf(turns: readonly (typeof turn extends fc.Arbitrary<infer T> ? T : never)[]): ModelMessage[] {
  return turns.flatMap(({ words, calls, lines, image, answer }, at) => {
    const ids = Array.from({ length: calls }, (_, index) => `call-${at}-${index}`);
    const called = ids.map((id): StoredPart => ({ type: "tool_call", id, name: "look", arguments: { at: "there" } }));
    const picture: StoredPart = { type: "image", mime_type: "image/png", path: `/p${at}.png`, size: 90_000 };
    return [
      message(`u${at}`, "user", [text(`Question ${at} ${"word ".repeat(words)}`), ...(image ? [picture] : [])]),
      message(`a${at}`, "assistant", [text(`Answer ${at}`), ...called]),
      ...ids.map((id) => resultOf(id, "a line of a result\n".repeat(lines))),
      ...(calls === 0 ? [] : [message(`b${at}`, "assistant", [text(`Done ${at} ${"so ".repeat(answer)}`)])]),
    ];
  });
}

const conversation = fc.array(turn, { minLength: 1, maxLength: 25 });

const options: fc.Arbitrary<CompactOptions> = fc.record({
  target: fc.integer({ min: 400, max: 4000 }),
  keepFirst: fc.nat(4),
  keepRecent: fc.nat(12),
  toolOutputMaxLines: fc.integer({ min: 1, max: 60 }),
  recentFiles: fc.nat(6),
  summaryTokens: fc.option(fc.constant(100)),
});

describe("compact", () => {
  it("A compacted conversation fits its target, is legal for providers, and keeps the last message of the user", () => {
    console.info(`seed ${seed}`);
    fc.assert(
      fc.property(conversation, options, (turns, chosen) => {
        const messages = messagesOf(turns);
        const projection = compact(messages, wholeProjection, chosen);
        if (projection === null) throw new Error("The conversation does not fit.");
        expect(projectedTokens(messages, projection)).toBeLessThanOrEqual(chosen.target);
        const sent = project(messages, projection).messages;
        expect(checkTranscript(sent)).toBeNull();
        const lastUser = messages.findLast(({ role }) => role === "user");
        expect(sent.some(({ id }) => id === lastUser?.id)).toBe(true);
      }),
      runs,
    );
  });

  it("A compaction is deterministic, changes no message, and a compacted conversation is not compacted again", () => {
    fc.assert(
      fc.property(conversation, options, (turns, chosen) => {
        const messages = messagesOf(turns);
        const before = structuredClone(messages);
        const first = compact(messages, wholeProjection, { ...chosen, summaryTokens: null });
        expect(compact(structuredClone(messages), wholeProjection, { ...chosen, summaryTokens: null })).toEqual(first);
        expect(messages).toEqual(before);
        if (first === null) throw new Error("The conversation does not fit.");
        const sent = project(messages, first);
        const again = sent.messages.reduce((sum, one, at) => sum + contextTokens(one, at >= sent.files), 0);
        expect(again).toBe(projectedTokens(messages, first));
        expect(project(sent.messages, wholeProjection).messages).toEqual(sent.messages);
      }),
      runs,
    );
  });

  it("Between two compactions each request begins with the messages of the request before", () => {
    fc.assert(
      fc.property(conversation, conversation, options, (turns, later, chosen) => {
        const messages = messagesOf(turns);
        const projection = compact(messages, wholeProjection, chosen);
        if (projection === null) throw new Error("The conversation does not fit.");
        const more = messagesOf([...turns, ...later]);
        const sent = project(messages, projection);
        const next = project(more, projection);
        expect(next.messages.slice(0, sent.messages.length)).toEqual(sent.messages);
        if (sent.files < sent.messages.length) expect(next.files).toBe(sent.files);
      }),
      runs,
    );
  });

  it("Repeated compactions of a growing conversation count every message that is not sent", () => {
    fc.assert(
      fc.property(conversation, conversation, options, (turns, later, chosen) => {
        let projection: Projection | null = wholeProjection;
        for (const messages of [messagesOf(turns), messagesOf([...turns, ...later])]) {
          projection = compact(messages, projection, chosen);
          if (projection === null) throw new Error("The conversation does not fit.");
          const { head, pinned, dropped, count } = projection;
          expect(count).toBe(count === 0 ? 0 : dropped - head.length - (pinned === null ? 0 : 1));
          expect(projectedTokens(messages, projection)).toBeLessThanOrEqual(chosen.target);
          expect(checkTranscript(project(messages, projection).messages)).toBeNull();
        }
      }),
      runs,
    );
  });

  it("The stored form of a compaction selects the same messages from a list without the dropped ones, also after the list is repaired", () => {
    fc.assert(
      fc.property(conversation, conversation, options, (turns, later, chosen) => {
        const ids = new Map(
          messagesOf([...turns, ...later]).map(({ id }, at) => [id, `p${String(at).padStart(4, "0")}`]),
        );
        const records = [...ids].flatMap(([id, position]) => (id === null ? [] : [{ id, position }]));
        const place = (messages: ModelMessage[]) => new PositionedMessages(messages, records);
        const now = place(messagesOf(turns));
        const projection = compact(now.messages, wholeProjection, chosen);
        if (projection === null) throw new Error("The conversation does not fit.");
        const stored = now.store(projection);
        const all = messagesOf([...turns, ...later]);
        const whole = project(all, place(all).read(stored));
        const kept = new Set([...stored.head, stored.pinned]);
        const isRead = ({ id }: ModelMessage) => kept.has(id) || (ids.get(id) ?? "") >= stored.dropped;
        const read = place(repair(all.filter(isRead)));
        expect(project(read.messages, read.read(stored))).toEqual(whole);
        expect(read.store(read.read(stored))).toEqual(place(all).store(place(all).read(stored)));
      }),
      runs,
    );
  });

  it("After messages were added, a reused projection equals a projection that is read for the whole list for the first time", () => {
    let reused = 0;
    fc.assert(
      fc.property(conversation, conversation, options, (turns, later, chosen) => {
        const all = messagesOf([...turns, ...later]);
        const records = all.flatMap(({ id }, at) =>
          id === null ? [] : [{ id, position: `p${String(at).padStart(4, "0")}` }],
        );
        const count = messagesOf(turns).length;
        const known = all.slice(0, chosen.keepFirst % 2 === 0 ? all.length : count);
        const projection = compact(known, wholeProjection, chosen);
        if (projection === null) throw new Error("The conversation does not fit.");
        const stored = new PositionedMessages(known, records).store(projection);
        const before = new PositionedMessages(all.slice(0, count), records);
        const first = before.read(stored);
        before.store(first);
        const grown = new PositionedMessages(all, records, before.last);
        const second = grown.read(stored);
        if (second === first) reused += 1;
        const fresh = new PositionedMessages(all, records);
        expect(second).toEqual(fresh.read(stored));
        expect(grown.store(second)).toEqual(fresh.store(fresh.read(stored)));
        const next = { ...stored, lines: stored.lines + 1 };
        expect(new PositionedMessages(all, records, grown.last).read(next).lines).toBe(next.lines);
        const others = all.map((one) => ({ ...one }));
        expect(new PositionedMessages(others, records, grown.last).read(stored)).not.toBe(second);
      }),
      runs,
    );
    expect(reused).toBeGreaterThan(0);
  });

  it("A compaction uses its levels in order: results are shortened, then turns become one line, then messages are dropped", () => {
    const turns = Array.from({ length: 12 }, () => ({ words: 5, calls: 1, lines: 100, image: false, answer: 5 }));
    const messages = messagesOf(turns);
    const whole = projectedTokens(messages, wholeProjection);
    const by = (target: number) =>
      compact(messages, wholeProjection, {
        target,
        keepFirst: 2,
        keepRecent: 8,
        toolOutputMaxLines: 10,
        recentFiles: 10,
        summaryTokens: null,
      });
    const [first, second, third] = [by(whole - 1), by(1600), by(1150)];
    expect(first).toMatchObject({ shortened: 40, essence: 0, dropped: 0 });
    expect(second).toMatchObject({ shortened: 40, essence: 40, dropped: 0 });
    expect(third).toMatchObject({ head: [0], dropped: expect.toSatisfy((at: number) => at > 1), essence: 40 });
    const sent = project(messages, third ?? wholeProjection).messages;
    expect(sent[1]?.parts).toEqual([
      text(`[... ${third?.count} earlier messages were removed to fit the context ...]`),
    ]);
    expect(project(messages, second ?? wholeProjection).messages[1]).toMatchObject({
      id: "a0",
      role: "user",
      parts: [text("[Summary] Answer 0; called look")],
    });
  });

  it("A single message that is larger than the target is cut in the middle", () => {
    const messages = [message("u", "user", [text(`begin ${"x".repeat(1_000_000)} end`)])];
    const chosen = { target: 1000, keepFirst: 2, keepRecent: 10, toolOutputMaxLines: 50, recentFiles: 10 };
    const projection = compact(messages, wholeProjection, { ...chosen, summaryTokens: null });
    const [sent] = project(messages, projection ?? wholeProjection).messages;
    const part = sent?.parts[0];
    const cut = part?.type === "text" ? part.text : "";
    expect(textTokens(cut)).toBeLessThanOrEqual(1000);
    expect(cut).toMatch(/^begin x+\n\[\.\.\. 1000010 bytes, cut to fit the context \.\.\.\]\nx+ end$/);
  });

  it("A tool result of 50 MB in the newest step is cut, and stays with its call", () => {
    const call: StoredPart = { type: "tool_call", id: "c", name: "look", arguments: { query: "y".repeat(100_000) } };
    const messages = [
      message("u", "user", [text("Look.")]),
      message("a", "assistant", [call]),
      resultOf("c", "z".repeat(50_000_000)),
    ];
    const chosen = { target: 2000, keepFirst: 2, keepRecent: 10, toolOutputMaxLines: 50, recentFiles: 10 };
    const projection = compact(messages, wholeProjection, { ...chosen, summaryTokens: null });
    const sent = project(messages, projection ?? wholeProjection).messages;
    expect(checkTranscript(sent)).toBeNull();
    expect(sent.map(({ id }) => id)).toEqual(["u", "a", "r-c"]);
    expect(sent.reduce((sum, one) => sum + contextTokens(one, true), 0)).toBeLessThanOrEqual(2000);
  });

  it("A compaction has no result if the conversation exceeds the target even with cut texts", () => {
    const messages = [message("u", "user", [text("word ".repeat(1000))])];
    const chosen = { target: 20, keepFirst: 2, keepRecent: 10, toolOutputMaxLines: 50, recentFiles: 10 };
    expect(compact(messages, wholeProjection, { ...chosen, summaryTokens: null })).toBeNull();
  });
});

describe("shortening", () => {
  it("A shortened text has exactly the given number of lines, with one more before the marker than after it", () => {
    const lines = Array.from({ length: 200 }, (_, at) => `line ${at}`);
    const shortened = shortenLines(lines.join("\n"), 50).split("\n");
    expect(shortened).toHaveLength(50);
    expect(shortened.slice(0, 25)).toEqual(lines.slice(0, 25));
    expect(shortened[25]).toBe("[... 151 lines truncated ...]");
    expect(shortened.slice(26)).toEqual(lines.slice(176));
    expect(shortenLines(lines.slice(0, 50).join("\n"), 50)).toBe(lines.slice(0, 50).join("\n"));
  });

  it("A cut text has at most the given tokens, also if characters have several bytes", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: "grapheme", minLength: 200, maxLength: 900 }),
        fc.integer({ min: 32, max: 200 }),
        (whole, tokens) => {
          const cut = cutMiddle(whole, tokens);
          expect(textTokens(cut)).toBeLessThanOrEqual(tokens);
          expect(cut.isWellFormed() || !whole.isWellFormed()).toBe(true);
        },
      ),
      runs,
    );
  });
});
