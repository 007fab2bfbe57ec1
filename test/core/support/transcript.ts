// Random transcripts that a provider would accept, and the same after messages were cut, removed and shuffled.

import fc from "fast-check";

import type { ModelMessage } from "#core/ports/model-port.ts";
import type { StoredPart } from "#core/record/record.ts";

const words = fc.string({ minLength: 1, maxLength: 6 }).map((text) => `w${text}`);
const signed = { provider: "anthropic", data: { signature: "s" } };

function message(id: string, role: ModelMessage["role"], parts: StoredPart[]): ModelMessage {
  return { id, role, parts, name: null, tool_call_id: null, result: null };
}

const turn = fc.record({ user: words, text: words, calls: fc.nat(3), thinks: fc.boolean(), answer: words });

/** A well-formed transcript: turns of a question, an answer with calls, their results, and another answer. */
export const transcript: fc.Arbitrary<ModelMessage[]> = fc
  .array(turn, { minLength: 1, maxLength: 5 })
  .map((turns) => turns.flatMap((one, at) => messagesOf(one, at)));

type Turn = typeof turn extends fc.Arbitrary<infer T> ? T : never;

function messagesOf({ user, text, calls, thinks, answer }: Turn, at: number): ModelMessage[] {
  const thinking: StoredPart[] = thinks ? [{ type: "thinking", thinking: "hm", provider_data: signed }] : [];
  const ids = Array.from({ length: calls }, (_, index) => `call-${at}-${index}`);
  const requested = ids.map((id): StoredPart => ({ type: "tool_call", id, name: "it", arguments: {} }));
  const results = ids.map((id): ModelMessage => {
    const result = { status: "success", result: id } as const;
    return { ...message(`r-${id}`, "tool", [{ type: "text", text: id }]), name: "it", tool_call_id: id, result };
  });
  return [
    message(`u${at}`, "user", [{ type: "text", text: user }]),
    message(`a${at}`, "assistant", [...thinking, { type: "text", text }, ...requested]),
    ...results,
    ...(calls === 0 ? [] : [message(`b${at}`, "assistant", [{ type: "text", text: answer }])]),
  ];
}

function withText(message: ModelMessage, text: string): ModelMessage {
  return { ...message, parts: message.parts.map((part) => (part.type === "text" ? { ...part, text } : part)) };
}

/** A change of a message of a transcript. */
const fate = fc.constantFrom(
  "keep",
  "keep",
  "keep",
  "drop",
  "double",
  "blank",
  "invisible",
  "silence",
  "swap",
  "thought",
) as fc.Arbitrary<"keep" | "drop" | "double" | "blank" | "invisible" | "silence" | "swap" | "thought">;

/** A transcript after random changes. */
export const broken: fc.Arbitrary<ModelMessage[]> = fc
  .tuple(transcript, fc.array(fate, { minLength: 40, maxLength: 40 }), fc.nat(40))
  .map(([messages, fates, length]) => {
    const left = messages.flatMap((one, at): ModelMessage[] => {
      switch (fates[at] ?? "keep") {
        case "keep":
          return [one];
        case "drop":
          return [];
        case "double":
          return [one, one];
        case "blank":
          return [withText(one, " ")];
        case "invisible":
          return [withText(one, "\u200b\u{e0041}\u2800")];
        case "silence":
          return [{ ...one, parts: one.parts.filter((part) => part.type !== "text") }];
        case "thought":
          return [{ ...one, parts: one.parts.filter((part) => part.type === "thinking") }];
        case "swap":
          return [one];
      }
    });
    const swapped = left.map((one, at) => (fates[at] === "swap" ? (left[at + 1] ?? one) : one));
    return swapped.slice(0, length);
  });
