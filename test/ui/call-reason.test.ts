// The text that the page shows as the reason for a waiting call.

import { describe, expect, it } from "vitest";

import { textBefore } from "#playground/conversation/call-reason.ts";

import { message } from "./support/message.ts";

const call = (id: string) => ({ type: "tool_call", id, name: "pay", arguments: {} }) as const;
const pending = { name: "pay", kind: "approval", deadline: null } as const;

describe("the reason for a call", () => {
  const asking = message("1", {
    content: "I will pay Ada.",
    parts: [{ type: "text", text: "I will pay Ada." }, call("a")],
  });
  const silent = message("3", { content: null, parts: [call("b")] });
  const started = message("2", { role: "tool", tool_call_id: "a" });

  it("The reason for a call is the text of the message that makes it, and a message without visible text gives none", () => {
    expect(textBefore({ ...pending, id: "a" }, [asking, started, silent])).toBe("I will pay Ada.");
    expect(textBefore({ ...pending, id: "b" }, [asking, started, silent])).toBeNull();
    expect(textBefore({ ...pending, id: "unknown" }, [asking])).toBeNull();
  });

  it("The reason for a call of a child thread is the text of the message that started the child, also if both threads use the same id", () => {
    const other = message("4", { content: "Something else", parts: [call("x")] });
    const ofChild = { ...pending, id: "x", thread_id: "child", message_id: "2" };
    expect(textBefore(ofChild, [asking, started, other])).toBe("I will pay Ada.");
  });

  it("A long reason is cut after 300 characters, and not within a character", () => {
    const smiles = message("1", { content: `${"x".repeat(299)}${"\u{1F600}".repeat(2)}`, parts: [call("a")] });
    expect(textBefore({ ...pending, id: "a" }, [smiles])).toBe(`${"x".repeat(299)}…`);
    const long = message("1", { content: "word ".repeat(200), parts: [call("a")] });
    expect(textBefore({ ...pending, id: "a" }, [long])).toBe(`${"word ".repeat(60).trimEnd()}…`);
  });
});
