// Scripted answers that no request used. That a test then fails is shown on an installed project in test/package/testing-agents.test.ts.

import { startThread, text, toolCall } from "threadhold/testing";
import { describe, expect, it } from "vitest";

import { Script } from "#testing/script.ts";
import type { RecordedRequest } from "#testing/scripted-answer.ts";

const request = { prompt: "rules", model: "large", messages: [] } as unknown as RecordedRequest;

describe("unused answers", () => {
  it("The error for unused answers contains their number and the first one", async () => {
    const script = new Script([text("One"), text("Two"), toolCall("charge", { amount: 5 })]);
    await script.answer(request, undefined);
    expect(() => script.throwUnused()).toThrow(
      '2 of 3 answers are unused; the first one is {"text":"Two"}.\n' +
        "Remove them from `answers`, or start the thread with `allowUnusedAnswers: true`.",
    );
    await script.answer(request, undefined);
    await script.answer(request, undefined);
    expect(() => script.throwUnused()).not.toThrow();
  });

  it("The error for unused answers has a line for each prompt with fewer requests than answers", async () => {
    const script = new Script({ rules: [text("One"), text("Two")], other: [text("Three")], computed: () => text("") });
    await script.answer(request, undefined);
    expect(() => script.throwUnused()).toThrow(
      '1 of 2 answers for the prompt "rules" are unused; the first one is {"text":"Two"}.\n' +
        '1 of 1 answers for the prompt "other" are unused; the first one is {"text":"Three"}.\n',
    );
  });

  it("A script without remaining answers causes no error, and neither does a function", async () => {
    const script = new Script([]);
    await script.answer(request, undefined);
    expect(() => script.throwUnused()).not.toThrow();
    for (const answers of [undefined, () => text("")]) expect(() => new Script(answers).throwUnused()).not.toThrow();
  });

  it("A thread that allows unused answers causes no error for them", async () => {
    await startThread("support_desk", { answers: [text("Unused")], allowUnusedAnswers: true });
  });
});
