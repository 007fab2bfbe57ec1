// Questions of an MCP server to a person, and approvals, through a thread to the MCP client that called the thread's agent.

import { beforeAll, expect, it } from "vitest";

import { setServer } from "../thread/mcp-driver.ts";
import { ran } from "../worker/approval.ts";
import { scripts } from "../worker/definitions.ts";
import { connect, createCatalog } from "./support/mcp-app.ts";

beforeAll(createCatalog);

/** A word whose run calls the reference server's tool that asks a question, and answers with the tool's result. */
function asking(): string {
  setServer("everything", "everything", { elicitation: true });
  const word = `mcp-${crypto.randomUUID()}`;
  scripts.set(word, ({ step, messages }) =>
    step === 0
      ? { toolCalls: [{ name: "everything__trigger-elicitation-request", arguments: {} }] }
      : { text: messages.at(-1)?.content ?? "" },
  );
  return word;
}

it("MCPS6 A client shows the question of an MCP server during a call as a form with the question's schema, and the answer is sent to that server", async () => {
  const forms: unknown[] = [];
  const mcp = await connect({
    elicit: (params) => {
      forms.push(params);
      return { action: "accept", content: { name: "Ada", integer: 7 } };
    },
  });
  const { texts, data } = await mcp.call("asking_helper", { task: asking() });
  expect(data.status).toBe("completed");
  expect(texts[0]).toContain("- Name: Ada");
  expect(texts[0]).toContain("- Favorite Integer: 7");
  expect(forms).toEqual([
    expect.objectContaining({
      message: expect.stringContaining("Please provide inputs") as string,
      requestedSchema: expect.objectContaining({ required: ["name"] }) as object,
    }),
  ]);
}, 120_000);

it.each([
  ["declines", { action: "decline" }, "User declined"],
  ["dismisses", { action: "cancel" }, "User cancelled"],
] as const)(
  "MCPS6 The MCP server that asked a question is notified if the person %s the question",
  async (_case, answer, text) => {
    const mcp = await connect({ elicit: () => ({ ...answer }) });
    expect((await mcp.call("asking_helper", { task: asking() })).texts[0]).toContain(text);
  },
  120_000,
);

it("MCPS7 A client without elicitation gets the question as the result, and the tool thread_answer answers the question", async () => {
  const mcp = await connect();
  const first = await mcp.call("asking_helper", { task: asking() });
  const [question] = first.data.waiting ?? [];
  expect([first.isError, first.data.status, question]).toEqual([
    false,
    "running",
    expect.objectContaining({ kind: "question", name: "everything__trigger-elicitation-request" }),
  ]);
  const { thread_id } = first.data;
  const again = await mcp.call("thread_result", { thread_id });
  expect(again.data.waiting).toEqual(first.data.waiting);
  const result = JSON.stringify({ name: "Ada" });
  const done = await mcp.call("thread_answer", { thread_id, call_id: question?.call_id, result });
  expect([done.data.status, done.texts[0]]).toEqual(["completed", expect.stringContaining("- Name: Ada")]);
}, 120_000);

it("MCPS6 thread_result asks the client the open question of an earlier call", async () => {
  const plain = await connect();
  const { thread_id } = (await plain.call("asking_helper", { task: asking() })).data;
  const mcp = await connect({ elicit: () => ({ action: "accept", content: { name: "Ada" } }) });
  expect((await mcp.call("thread_result", { thread_id })).texts[0]).toContain("- Name: Ada");
}, 120_000);

it("MCPS6 thread_answer asks the client about the calls that are still open", async () => {
  const word = `mcp-${crypto.randomUUID()}`;
  scripts.set(word, ({ step }) =>
    step === 0
      ? { toolCalls: [7, 8].map((amount) => ({ name: "pay", arguments: { to: "Ada", amount } })) }
      : { text: "Both are settled." },
  );
  const first = await (await connect()).call("cashier_helper", { task: word });
  const [one, other] = first.data.waiting ?? [];
  expect(other).toMatchObject({ kind: "approval" });
  const requested: string[] = [];
  const { call } = await connect({
    elicit: ({ message }) => {
      requested.push(message);
      return { action: "accept", content: { approve: true } };
    },
  });
  const answer = { thread_id: first.data.thread_id, call_id: one?.call_id, approved: true };
  expect((await call("thread_answer", answer)).texts[0]).toBe("Both are settled.");
  expect(requested).toEqual([expect.stringContaining('"amount":8')]);
});

it("MCPS6 A client is asked once for each approval of a step, and each answer applies to its call only", async () => {
  const word = `mcp-${crypto.randomUUID()}`;
  scripts.set(word, ({ step }) =>
    step === 0
      ? { toolCalls: [7, 8, 9].map((amount) => ({ name: "pay", arguments: { to: "Cleo", amount } })) }
      : { text: "It is settled." },
  );
  const requested: string[] = [];
  const { call } = await connect({
    elicit: ({ message }) => {
      requested.push(message);
      return { action: "accept", content: { approve: !message.includes('"amount":8') } };
    },
  });
  const { data } = await call("cashier_helper", { task: word });
  expect(data.status).toBe("completed");
  const amounts = requested.map((message) => Number(/"amount":(\d)/.exec(message)?.[1]));
  expect(amounts.toSorted((one, other) => one - other)).toEqual([7, 8, 9]);
  expect(ran.filter((line) => line.startsWith('pay {"to":"Cleo"'))).toEqual([
    'pay {"to":"Cleo","amount":7} 1',
    'pay {"to":"Cleo","amount":9} 1',
  ]);
});

/** Calls an agent whose model makes a payment to this person. Returns the result, and the texts that the client showed. */
async function payTo(to: string) {
  const word = `mcp-${crypto.randomUUID()}`;
  scripts.set(word, ({ step }) =>
    step === 0 ? { toolCalls: [{ name: "pay", arguments: { to, amount: 7 } }] } : { text: "It is settled." },
  );
  const requested: string[] = [];
  const { call } = await connect({
    elicit: ({ message }) => {
      requested.push(message);
      return { action: "accept", content: { approve: true } };
    },
  });
  return { ...(await call("cashier_helper", { task: word })), requested };
}

it("MCPS6 The question about an approval contains all arguments of the call, up to 2000 characters of JSON", async () => {
  const args = JSON.stringify({ to: "a".repeat(2000 - JSON.stringify({ to: "", amount: 7 }).length), amount: 7 });
  const { data, requested } = await payTo((JSON.parse(args) as { to: string }).to);
  expect(data.status).toBe("completed");
  expect(requested).toEqual([expect.stringContaining(`Arguments: ${args}`)]);
});

it("MCPS7 A call with arguments over 2000 characters is returned as the result, and the person is not asked about a part of them", async () => {
  const to = "a".repeat(2001 - JSON.stringify({ to: "", amount: 7 }).length);
  const { data, requested } = await payTo(to);
  expect(requested).toEqual([]);
  expect(data).toMatchObject({
    status: "awaiting_tool_execution",
    waiting: [{ kind: "approval", name: "pay", arguments: { to, amount: 7 } }],
  });
});

it("MCPS7 A call with arguments too large for the thread's row is returned as the result, and the person is not asked", async () => {
  const { data, requested } = await payTo("a".repeat(100_000));
  expect(requested).toEqual([]);
  expect(data).toMatchObject({ status: "awaiting_tool_execution", waiting: [{ kind: "approval", name: "pay" }] });
});

it("MCPS6 The question about an approval shows hidden characters of the arguments as escapes", async () => {
  const { requested } = await payTo("Ada\u202E\u200B\u{E0041}\u00AD\u3164\uFE0F\u2028 é漢😀");
  const shown = String.raw`{"to":"Ada\u202e\u200b\udb40\udc41\u00ad\u3164\ufe0f\u2028 é漢😀","amount":7}`;
  expect(requested).toEqual([expect.stringContaining(`Arguments: ${shown}`)]);
});
