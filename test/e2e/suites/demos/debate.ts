// The debate: two models in one thread, a forced turn, an end tool that can refuse.

import { expect, it } from "vitest";
import { z } from "zod";

import { settledMessages } from "../../../support/http-client/transcript.ts";
import type { SuiteServer } from "../suite-server.ts";

const admittedSchema = z.object({ run: z.object({ status: z.string(), outcome: z.unknown() }) });
const verdict = '"Every town should have a tram" is worth a trial that ends on a date.';

export function debate(use: () => SuiteServer): void {
  it("The debate demo lets two models take turns until the end session tool of side B ends the run with a verdict", async () => {
    const { api } = use();
    const { id } = await api.createThread("debate");
    const feed = await api.sayForEvents(id, "Every town should have a tram.");
    await feed.untilEnd();
    expect(feed.ofType("turn_end").map(({ side, reason }) => [side, reason])).toEqual([
      ["a", "response"],
      ["b", "response"],
      ["a", "forced"],
      ["b", "response"],
      ["a", "response"],
      ["b", "end_session_tool"],
    ]);
    expect(feed.ofType("run_end")).toMatchObject([
      { status: "completed", reason: "end_session_tool", outcome: verdict },
    ]);
    const messages = await api.messages(id);
    expect(messages.map(({ role, side }) => [role, side])).toEqual([
      ["user", null],
      ["assistant", "a"],
      ["user", "b"],
      ["assistant", "a"],
      ["tool", "a"],
      ["user", "b"],
      ["assistant", "a"],
      ["user", "b"],
      ["tool", "b"],
    ]);
    // Each side received the other's message: its question repeats part of that.
    expect(messages[3]?.content).toContain(messages[2]?.content?.split(".")[0]);
    expect(settledMessages(feed.view().messages)).toEqual(messages);
  });

  it("The debate demo continues with a user's later message, and also after an end session tool that fails", async () => {
    const { api } = use();
    const { id } = await api.createThread("debate");
    await api.say(id, "Every town should have a tram.");
    const feed = await api.sayForEvents(id, "And buses?");
    await feed.untilEnd();
    const closing = feed.ofType("tool_execution_end").filter(({ tool_name }) => tool_name === "close_debate");
    expect(closing.map(({ is_error }) => is_error)).toEqual([true, false]);
    expect(feed.ofType("message_end").some(({ message }) => message.content?.includes('You say "And buses?"'))).toBe(
      true,
    );
    expect(feed.ofType("run_end")).toMatchObject([{ reason: "end_session_tool" }]);
  });

  it("The debate demo begins with a motion of side A if there is no message", async () => {
    const { api } = use();
    const { id } = await api.createThread("debate");
    const json = { kind: "continue" };
    const { run } = await api.ask(admittedSchema, "POST", `/api/threads/${id}/runs?wait=true`, { json });
    expect(run).toEqual({ status: "completed", outcome: verdict });
    expect((await api.messages(id))[0]).toMatchObject({ role: "assistant", side: "a" });
  });
}
