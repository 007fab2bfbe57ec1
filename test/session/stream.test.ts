// The number, time and speed of the readers of an execution's events do not affect the execution.

import { expect, it } from "vitest";

import { execute } from "#session/index.ts";
import type { AgentEvent, ExecuteStream } from "#session/index.ts";

import { add, gate, run, session, transcript, user } from "./support/scripted-session.ts";

const script = [{ toolCalls: [{ name: "add", arguments: { a: 1, b: 2 } }] }, { text: "That is 3." }];

async function all(stream: ExecuteStream): Promise<AgentEvent[]> {
  const events: AgentEvent[] = [];
  for await (const event of stream) events.push(event);
  return events;
}

it("ENTRY11 An execution continues without a reader, and result() needs none", async () => {
  const of = session(script, [add]);
  const { status, messages } = await execute(of, user("What is 1 + 2?")).result();
  expect(status).toBe("completed");
  expect(messages).toEqual(of.messages);
});

it("ENTRY11 Two concurrent readers, and a reader that begins after the end of the execution, receive every event", async () => {
  const of = session(script, [add]);
  const stream = execute(of, user("What is 1 + 2?"));
  const [one, two] = await Promise.all([all(stream), all(stream)]);
  await stream.result();
  expect(two).toEqual(one);
  expect(await all(stream)).toEqual(one);
  expect(one.at(-1)?.type).toBe("session_end");
});

it("ENTRY11 A reader that leaves early does not affect the execution", async () => {
  const { passed, open } = gate();
  const of = session(
    async ({ step }) => {
      await passed;
      return script[step] ?? { text: "?" };
    },
    [add],
  );
  const stream = execute(of, user("What is 1 + 2?"));
  for await (const event of stream) if (event.type === "message_end") break;
  open();
  expect((await stream.result()).status).toBe("completed");
  expect(transcript(of.messages).at(-1)).toBe("assistant: That is 3.");
});

it("ENTRY11 A session has its new status when a reader receives session_end", async () => {
  const of = session(script, [add]);
  const received: string[] = [];
  for await (const { type } of execute(of, user("What is 1 + 2?")))
    if (type === "session_end") received.push(of.status);
  expect(received).toEqual(["completed"]);
});

it("ENTRY11 The session already contains a message when a reader receives the message_end event of the message", async () => {
  const of = session(script, [add]);
  const { passed, open } = gate();
  const slow = session(
    async ({ step }) => {
      if (step === 1) await passed;
      return script[step] ?? { text: "?" };
    },
    [add],
  );
  const stream = execute(slow, user("What is 1 + 2?"));
  for await (const event of stream) {
    if (event.type !== "message_end" || event.message.role !== "toolResult") continue;
    expect(slow.status).toBe("running");
    expect(transcript(slow.messages)).toEqual(["user: What is 1 + 2?", 'assistant: [add {"a":1,"b":2}]', "add: 3"]);
    open();
  }
  await run(of, "What is 1 + 2?");
  expect(transcript(slow.messages)).toEqual(transcript(of.messages));
});
