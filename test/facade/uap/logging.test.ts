// The middleware `logging`: its levels, its options, and what it never writes.

import { describe, expect, it, vi } from "vitest";

import { AgentState } from "#facade/uap/agent-state.ts";
import { logging } from "#facade/uap/middleware/logging.ts";
import type { LoggedFacts, LoggingOptions } from "#facade/uap/middleware/logging.ts";
import { agent } from "#facade/uap/uap-agent.ts";
import { UserMessage } from "#facade/upp/upp-message.ts";

import { call, rejection, tool } from "../support/scripted-llm.ts";
import { scripted, scriptedAgent } from "./support/scripted-agent.ts";
import type { Script } from "./support/scripted-agent.ts";

const toolFunctions = tool("works", () => "fine");
const breaks = tool("breaks", () => {
  throw new Error("Broken.");
});
const calls = [{ toolCalls: [call("works", { a: 1 }), call("breaks")] }, { text: "The answer." }];

/** Executes an agent and returns its lines, without the id of the agent and without times. */
async function linesOf(options: LoggingOptions, script: Script = structuredClone(calls)) {
  const lines: string[] = [];
  const facts: LoggedFacts[] = [];
  const logger = (line: string, fact: LoggedFacts) => {
    lines.push(line);
    facts.push(fact);
  };
  const executed = agent({
    model: scripted("scripted", { script }),
    tools: [toolFunctions, breaks],
    middleware: [logging({ logger, ...options })],
    config: { apiKey: "a-secret-key-1", headers: { "x-token": "a-secret-token-2" } },
  });
  const ended = executed.generate(
    "The question.",
    AgentState.initial().withMetadata("password", "a-secret-password-3"),
  );
  await ended.catch(() => undefined);
  return { lines: lines.map((line) => line.replace(`[agent ${executed.id}] `, "")), facts, executed };
}

describe("logging", () => {
  it.each([
    ["debug", ["debug", "info", "warn"]],
    ["info", ["info", "warn"]],
    ["warn", ["warn"]],
    ["error", []],
  ] as const)(
    "With the log level %s, log lines of this level and of more severe levels are written",
    async (level, written) => {
      const { facts } = await linesOf({ level });
      expect(new Set(facts.map((fact) => fact.level))).toEqual(new Set(written));
    },
  );

  it("The log lines of an execution contain its beginning, its calls, its end, its counts and its durations", async () => {
    const { lines, facts, executed } = await linesOf({ level: "debug" });
    expect(lines.map((line) => line.replaceAll(/\d+ ms/g, "N ms").replace(/tokens: \d+/, "tokens: N"))).toEqual([
      "Execution started; earlier messages: 0.",
      'Tool "works" completed in N ms',
      'Tool "breaks" failed in N ms',
      "Execution completed in N ms; answers: 2, tool calls: 2, tokens: N.",
    ]);
    expect(facts.at(-1)).toEqual({
      level: "info",
      agentId: executed.id,
      stateId: expect.any(String),
      duration: expect.any(Number),
    });
  });

  it("Without includeTiming, no log line contains a duration", async () => {
    const { lines, facts } = await linesOf({ level: "debug", includeTiming: false });
    expect(lines.join("\n")).not.toMatch(/\bms\b/);
    expect(facts.every((fact) => !("duration" in fact))).toBe(true);
  });

  it("Contents of messages, arguments and results are logged only with includeMessages", async () => {
    const contents = ["The question.", "The answer.", '{"a":1}', "fine"];
    const without = (await linesOf({ level: "debug" })).lines.join("\n");
    expect(contents.filter((text) => without.includes(text))).toEqual([]);
    const written = (await linesOf({ level: "debug", includeMessages: true })).lines.join("\n");
    expect(contents.filter((text) => !written.includes(text))).toEqual([]);
  });

  it("Binary data in a logged message is replaced by the number of its bytes", async () => {
    const lines: string[] = [];
    const executed = agent({
      model: scripted("scripted", { script: [{ text: "A picture." }] }),
      middleware: [logging({ logger: (line) => lines.push(line), includeMessages: true })],
    });
    const source = { type: "bytes", data: new Uint8Array(1000).fill(65) } as const;
    const input = new UserMessage([{ type: "image", source, mimeType: "image/png" }]);
    await executed.generate(input, AgentState.initial());
    expect(lines.join("\n")).toContain("[1000 bytes]");
    expect(lines.join("\n")).not.toContain("QUFB");
  });

  it("A failed execution is logged at the level error, with the code and the message of the error, and the error is thrown unchanged", async () => {
    const script = () => ({ error: { message: "The service is busy.", status: 529 } });
    const { lines, facts } = await linesOf({ level: "error" }, script);
    expect(lines).toEqual([expect.stringMatching(/^Execution failed in \d+ ms\. PROVIDER_ERROR: .*busy/)]);
    expect(facts[0]?.level).toBe("error");
    const written: string[] = [];
    const thrown = new Error("The hook failed.");
    const failing = scriptedAgent([{ text: "Yes." }], {
      middleware: [logging({ logger: (line) => written.push(line) })],
      strategy: {
        onStepEnd() {
          throw thrown;
        },
      },
    });
    expect(await rejection(failing.query("Go."))).toBe(thrown);
    expect(written.at(-1)).toContain("The hook failed.");
  });

  it("No log line contains an API key, a header or the state's metadata, even if an error or a message contains them", async () => {
    const repeated = "a-secret-key-1 and a-secret-token-2";
    const failed = await linesOf({ level: "debug", includeMessages: true }, () => ({ error: { message: repeated } }));
    const answered = await linesOf({ level: "debug", includeMessages: true }, () => ({ text: repeated }));
    const all = [...failed.lines, ...answered.lines].join("\n");
    expect(all).toContain("[redacted]");
    expect(all).not.toMatch(/a-secret/);
  });

  it("If a logger throws or rejects, the result and the error of the execution are the same, and the failures of the logger are logged", async () => {
    const logged = vi.spyOn(console, "error").mockImplementation(() => {});
    const fails = () => {
      throw new Error("The disk is full.");
    };
    for (const logger of [fails, async () => fails()]) {
      const done = scriptedAgent([{ text: "Yes." }], { middleware: [logging({ logger })] });
      expect((await done.query("Go.")).response.text).toBe("Yes.");
      const failed = scriptedAgent([{ error: { status: 429, message: "Too many." } }], {
        middleware: [logging({ logger })],
      });
      expect(await rejection(failed.query("Go."))).toMatchObject({ code: "RATE_LIMITED" });
    }
    await vi.waitUntil(() => logged.mock.calls.length === 8);
    const line = expect.objectContaining({ event: "agent_line_not_logged", cause: expect.stringContaining("disk") });
    const lines = logged.mock.calls.map(([text]) => JSON.parse(String(text)) as unknown);
    expect(lines).toEqual(Array.from({ length: 8 }, () => line));
  });

  it("An unknown log level is refused, and the error names the known levels", async () => {
    const error = await rejection(Promise.resolve().then(() => logging({ level: "verbose" as "debug" })));
    expect(error).toMatchObject({
      code: "INVALID_REQUEST",
      message: expect.stringContaining("debug, info, warn, error"),
    });
  });

  it("Without a logger, log lines are written with console.log", async () => {
    const lines: unknown[][] = [];
    const { log } = console;
    console.log = (...values: unknown[]) => void lines.push(values);
    try {
      const model = scripted("scripted", { script: [{ text: "Yes." }] });
      await agent({ model, middleware: [logging()] }).query("Hello");
    } finally {
      console.log = log;
    }
    expect(lines).toEqual([[expect.stringContaining("started")], [expect.stringContaining("completed")]]);
  });
});
