// Runs the agent on a real thread. Only the answers of the model are scripted; the tools are those of the project.
import { startThread, text, toolCall } from "threadhold/testing";
import { expect, test } from "vitest";

test("A note is kept in a file of the thread", async () => {
  const thread = await startThread("assistant", {
    answers: [
      toolCall("remember", { note: "The door code is 4711." }),
      text("I will."),
      toolCall("read_notes"),
      text("4711."),
    ],
  });
  await thread.send("Remember the door code 4711");
  const turn = await thread.send("What is the door code?");
  expect(turn.text).toBe("4711.");
  expect(turn.toolCalls).toMatchObject([{ tool_name: "read_notes", result: { result: "The door code is 4711.\n" } }]);
});

test("The model reads the error of a tool", async () => {
  const thread = await startThread("assistant", {
    answers: [toolCall("current_time", { time_zone: "Lisbon" }), text("Which city is it?")],
  });
  const turn = await thread.send("What time is it in Lisbon?");
  expect(turn.toolCalls).toMatchObject([{ result: { status: "error", error: "Lisbon is not a time zone." } }]);
});
