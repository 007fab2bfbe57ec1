// Runs the agent on a real thread. Only the answers of the model are scripted.
import { startThread, text } from "threadhold/testing";
import { expect, test } from "vitest";

test("The model gets the whole conversation", async () => {
  const thread = await startThread("assistant", { answers: [text("Hello Anna."), text("You are Anna.")] });
  await thread.send("My name is Anna.");
  const turn = await thread.send("Who am I?");
  expect(turn.text).toBe("You are Anna.");
  const contents = thread.requests[1]?.messages.map(({ content }) => content);
  expect(contents).toEqual(["My name is Anna.", "Hello Anna.", "Who am I?"]);
});
