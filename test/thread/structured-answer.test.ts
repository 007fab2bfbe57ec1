// Structured answers in threads: the data of a run, the second attempt after an answer that does not match, and what ends such a run.

import { beforeEach, describe, expect, it } from "vitest";

import type { PostMessage } from "#contract/message-route.ts";
import type { Run } from "#contract/run.ts";
import type { TestRequest, TestTurn } from "#spec/index.ts";

import { crossing } from "../worker/crossing.ts";
import { toolEffects, requested, scriptedAnswers } from "../worker/team.ts";
import { admin, converse, crash, follow, message, newThread, stubOf, value } from "./thread-driver.ts";

beforeEach(() => {
  scriptedAnswers.clear();
  toolEffects.clear();
  requested.length = 0;
});

const oslo = { city: "Oslo", celsius: 4, wind: 0 };
const text = JSON.stringify({ city: "Oslo", celsius: 4 });
const wrong = JSON.stringify({ city: "O", celsius: "four" });

/** Sets the answers of the weather prompt, in order; the last one is repeated. */
function answers(...turns: (TestTurn | string)[]): void {
  let made = 0;
  scriptedAnswers.set("weather", () => {
    const turn = turns[Math.min(made, turns.length - 1)] ?? "";
    made += 1;
    return typeof turn === "string" ? { text: turn } : turn;
  });
}

const runsOf = async (id: string): Promise<Run[]> =>
  (await value(stubOf(id).call("listRuns", admin, { limit: 9, order: "asc" }))).items;

/** The only run of a thread, after a message was answered. */
async function answered(agent: string, extra: Partial<PostMessage> = {}) {
  const id = await newThread(agent);
  const events = await converse(id, "Weather?", extra);
  const [run, ...others] = await runsOf(id);
  if (run === undefined || others.length > 0) throw new Error("not one run");
  return { id, events, run, end: events.at(-1) };
}

const requests = (): TestRequest[] =>
  requested.filter(({ persona }) => persona === "weather").map(({ request }) => request);

describe("the data of a run", () => {
  it("STRUCT1 The answer of a prompt with a structure is checked, and its parsed value is `data` of the run and of run_end", async () => {
    answers(text);
    const { id, run, end } = await answered("forecaster");
    expect(run).toMatchObject({ status: "completed", text, data: oslo });
    expect(end).toMatchObject({ type: "run_end", status: "completed", data: oslo });
    expect(requests()[0]?.structure).toMatchObject({ type: "object", required: ["city", "celsius"] });
    // A client that comes later receives the same end.
    await crash(id);
    const later = await follow(id, { after: "0" });
    expect(await later.until(({ type }) => type === "run_end")).toEqual({ ...end, prev: expect.any(Number) });
    later.close();
    expect((await runsOf(id))[0]).toEqual(run);
  });

  it("STRUCT1 Tools run before the structured answer", async () => {
    toolEffects.set("look", () => "cold");
    answers({ toolCalls: [{ name: "act", arguments: { key: "look" } }] }, text);
    expect((await answered("forecaster")).run).toMatchObject({ status: "completed", data: oslo, steps: 2 });
  });

  it("STRUCT1 A run without a structure has no member `data`, even if its answer is JSON", async () => {
    scriptedAnswers.set("boss", () => ({ text }));
    const { run, end } = await answered("boss");
    expect(run).not.toHaveProperty("data");
    expect(end).not.toHaveProperty("data");
  });

  it("STRUCT1 The reasoning steps of the strategy `react` are free text, and its answer is structured", async () => {
    answers("I look out of the window.", text);
    const { run } = await answered("forecast_react");
    expect(run).toMatchObject({ status: "completed", data: oslo });
    expect(requests().map(({ structure }) => structure === undefined)).toEqual([true, false]);
  });

  it("STRUCT1 Only the last step of a plan has the structure, and its answer is requested again if it does not match", async () => {
    const step = { tool: null, dependsOn: [] };
    const steps = ["look", "measure", "report"].map((id) => ({ id, description: id, ...step }));
    answers(JSON.stringify({ steps }), "It rains.", "It is cold.", wrong, text);
    const { run } = await answered("forecast_plan");
    expect(run).toMatchObject({ status: "completed", data: oslo, steps: 5 });
    const [plan, look, measure, report, again] = requests().map(({ structure }) => structure?.["required"]);
    expect([plan, look, measure]).toEqual([["steps"], undefined, undefined]);
    expect([report, again]).toEqual([oslo, oslo].map(() => ["city", "celsius"]));
  });

  it("STRUCT1 The answer that ends a turn is structured also if a strategy of the project decides the turn, and is requested again if it does not match", async () => {
    answers(wrong, text);
    const { run } = await answered("forecast_own");
    expect(run).toMatchObject({ status: "completed", reason: "strategy", data: oslo, steps: 2 });
    answers(wrong, wrong);
    const failed = (await answered("forecast_own")).run;
    expect(failed).toMatchObject({ status: "error", error: { code: "structured_output_invalid" } });
  });

  it("STRUCT1 If a stop tool ends a run, the run has an outcome and no data", async () => {
    answers({ toolCalls: [{ name: "act", arguments: { key: "over" } }] });
    const { run } = await answered("forecast_tool");
    expect(run).toMatchObject({ status: "completed", reason: "stop_tool", outcome: "over" });
    expect(run).not.toHaveProperty("data");
  });
});

describe("an answer that does not match", () => {
  it("STRUCT2 If an answer does not match its schema, the model is sent each path and problem, and its second answer becomes the data", async () => {
    answers(wrong, text);
    const { run, events } = await answered("forecaster");
    expect(run).toMatchObject({ status: "completed", data: oslo, steps: 2 });
    expect(requests()[1]?.lastUser).toMatch(
      /city: Too small.*celsius: Invalid input.*\n.*JSON that matches the schema/s,
    );
    expect(requests()[1]?.messages.at(-2)).toMatchObject({ role: "assistant", content: wrong });
    expect(events.filter(({ type }) => type === "turn_end")).toHaveLength(1);
  });

  it("STRUCT2 After a second answer that does not match, the run ends with structured_output_invalid and keeps the text", async () => {
    answers(wrong);
    const { run, end } = await answered("forecaster");
    const error = { code: "structured_output_invalid", message: expect.stringContaining("city: Too small") };
    expect(run).toMatchObject({ status: "error", reason: "structured_output_invalid", error, text: wrong, steps: 2 });
    expect(end).toMatchObject({ type: "run_end", status: "error", error });
    expect(run).not.toHaveProperty("data");
  });

  it("STRUCT2 An answer that is a sentence instead of JSON is quoted in the error", async () => {
    answers("I cannot help with that.");
    expect((await answered("forecaster")).run.error?.message).toContain('not JSON: "I cannot help with that."');
  });

  it("STRUCT2 A model may call tools after an answer that does not match, and then has two attempts again", async () => {
    toolEffects.set("look", () => "cold");
    answers(wrong, { toolCalls: [{ name: "act", arguments: { key: "look" } }] }, wrong, text);
    expect((await answered("forecaster")).run).toMatchObject({ status: "completed", data: oslo, steps: 4 });
  });

  it.for([
    ["length", { text: '{"city":"Os', stopReason: "length" }, "cut at its limit of tokens"],
    ["content_filter", { text: '{"city":', stopReason: "content_filter" }, "blocked the answer"],
    ["size", { text: JSON.stringify({ ...oslo, city: "x".repeat(300_000) }) }, "262144 bytes"],
  ] as const)(
    "STRUCT2 An answer that is incomplete or too large is not requested again (%s)",
    async ([, turn, problem]) => {
      answers({ ...turn });
      const { run } = await answered("forecaster");
      expect(run).toMatchObject({ status: "error", steps: 1, error: { code: "structured_output_invalid" } });
      expect(run.error?.message).toContain(problem);
    },
  );

  it("STRUCT2 A run continues with its second attempt if a crash interrupts that attempt", async () => {
    let made = 0;
    const id = await newThread("forecaster");
    const second = crossing();
    scriptedAnswers.set("weather", () => {
      made += 1;
      if (made === 1) return { text: wrong };
      if (made > 2) return { text };
      second.resolve();
      return new Promise<TestTurn>(() => {});
    });
    const { run } = await value(stubOf(id).call("postMessage", admin, message("Weather?"), null));
    await second.promise;
    await crash(id);
    const following = await follow(id, { after: "0", run_id: run?.id ?? "" });
    await following.closed;
    expect((await runsOf(id))[0]).toMatchObject({ status: "completed", data: oslo, steps: 2 });
  });
});

it("STRUCT2 The run with a structure that every-fault.test.ts plays has data after two attempts", async () => {
  const id = await newThread("fault_former");
  await converse(id, `forms ${id}`);
  expect(await runsOf(id)).toMatchObject([{ status: "completed", data: { count: 2 }, steps: 3 }]);
});

describe("a structure whose check takes too much work", () => {
  /** Alternatives for texts, of which only the last one matches a text of one character. */
  const alternatives = Array.from({ length: 1800 }, (_, at) => ({ type: "string", minLength: 1800 - at }));
  const structure = { type: "object", properties: { a: { type: "array", items: { anyOf: alternatives } } } };

  it("STRUCT6 An answer whose check takes too much work is not requested again, the error says why, and another thread is served", async () => {
    answers(JSON.stringify({ a: Array(4000).fill("x") }));
    scriptedAnswers.set("boss", () => ({ text: "served" }));
    const other = await newThread("boss");
    const [{ run }] = await Promise.all([answered("forecaster", { structure }), converse(other, "Hi")]);
    expect(run).toMatchObject({ status: "error", steps: 1, error: { code: "structured_output_invalid" } });
    expect(run.error?.message).toMatch(
      /^The answer cannot be checked\. The check needs more than 500000 comparisons \(1800 alternatives for each of \d+ /,
    );
    expect((await runsOf(other))[0]).toMatchObject({ status: "completed", text: "served" });
  });

  it("STRUCT6 An answer with 4,000 wrong values is requested again with its first ten problems", async () => {
    const numbers = Array.from({ length: 4000 }, (_, at) => at);
    answers(JSON.stringify({ a: numbers }), JSON.stringify({ a: ["x"] }));
    const { run } = await answered("forecaster", { structure });
    expect(run).toMatchObject({ status: "completed", steps: 2, data: { a: ["x"] } });
    const problems = requests()[1]?.lastUser ?? "";
    expect(problems).toContain("a.0: matches none of 1800 alternatives: (1) has to be string, found number 0");
    expect([problems.includes("a.9: "), problems.includes("a.10: "), problems.length < 5000]).toEqual([
      true,
      false,
      true,
    ]);
  });
});

describe("the structure of a message", () => {
  const structure = {
    type: "object",
    properties: { mood: { $ref: "#/$defs/mood" } },
    required: ["mood"],
    $defs: { mood: { enum: ["good", "bad"] } },
  };

  it("STRUCT3 A message's structure takes precedence over the prompt's, for its run alone", async () => {
    answers('{"mood":"good"}', text);
    const id = await newThread("forecaster");
    await converse(id, "How are you?", { structure });
    await converse(id, "Weather?");
    expect((await runsOf(id)).map(({ data }) => data)).toEqual([{ mood: "good" }, oslo]);
    expect(requests()[0]?.structure).toMatchObject({ properties: { mood: { enum: ["good", "bad"] } } });
  });

  it("STRUCT3 A run that continues a failed run has the structure of that run's message, also after a crash", async () => {
    const id = await newThread("boss");
    const failing: TestTurn = { error: { kind: "auth", message: "no key" } };
    const sent: TestRequest[] = [];
    const answerWith = (turn: TestTurn) =>
      scriptedAnswers.set("boss", (request) => {
        sent.push(request);
        return turn;
      });
    answerWith(failing);
    await converse(id, "How are you?", { structure });
    const continued = async () => {
      const { run } = await value(stubOf(id).call("postRun", admin, { kind: "continue" }, null));
      const following = await follow(id, { after: "0", run_id: run?.id ?? "" });
      await following.closed;
    };
    await continued();
    await crash(id);
    answerWith({ text: '{"mood":"good"}' });
    await continued();
    expect(sent).toHaveLength(3);
    for (const request of sent) {
      expect(request.structure).toMatchObject({ properties: { mood: { enum: ["good", "bad"] } } });
    }
    // A run that continues a completed one has the structure of the prompt, which here is none.
    answerWith({ text: "Fine." });
    await continued();
    expect((await runsOf(id)).map(({ status, data }) => [status, data])).toEqual([
      ["error", undefined],
      ["error", undefined],
      ["completed", { mood: "good" }],
      ["completed", undefined],
    ]);
  });

  it("STRUCT3 A queued message keeps its structure, also over a crash", async () => {
    const gate = crossing<TestTurn>();
    const begun = crossing();
    scriptedAnswers.set("boss", ({ lastUser }) => {
      if (lastUser !== "first") return { text: '{"mood":"bad"}' };
      begun.resolve();
      return gate.promise;
    });
    const id = await newThread("boss");
    await value(stubOf(id).call("postMessage", admin, message("first"), null));
    await begun.promise;
    const { run } = await value(stubOf(id).call("postMessage", admin, message("second", { structure }), null));
    scriptedAnswers.set("boss", ({ lastUser }) => ({ text: lastUser === "first" ? "done" : '{"mood":"bad"}' }));
    await crash(id);
    const following = await follow(id, { after: "0", run_id: run?.id ?? "" });
    await following.closed;
    expect(await runsOf(id)).toMatchObject([{ text: "done" }, { data: { mood: "bad" } }]);
  });

  it.for([
    ["a steering message", { when: "steer" }, /joins a run/],
    ["a message without a run", { run: false }, /leave out run: false/],
    ["a schema that is no object", { structure: { type: "string" } }, /has to be of type "object"/],
    [
      "a schema that refers to another document",
      { structure: { type: "object", properties: { a: { $ref: "https://example.org/a.json" } } } },
      /only parts of the schema are taken/,
    ],
    [
      "a schema that is too large",
      { structure: { type: "object", description: "x".repeat(70_000) } },
      /more than 65536/,
    ],
    ["a schema with an invalid keyword", { structure: { type: "object", required: 3 } }, /cannot have this value/],
  ] as const)("STRUCT4 A structure is refused for %s, and nothing is stored", async ([, extra, problem]) => {
    const id = await newThread("boss");
    const posted = message("Hi", { structure, ...extra } as Partial<PostMessage>);
    const result = await stubOf(id).call("postMessage", admin, posted, null);
    expect(result).toMatchObject({
      ok: false,
      refusal: { code: "invalid_request", message: expect.stringMatching(problem) },
    });
    expect(await runsOf(id)).toEqual([]);
  });

  it("STRUCT4 A structure that contains itself is cut for the model, and an answer is checked at every depth", async () => {
    const recursive = {
      type: "object",
      properties: { name: { type: "string" }, child: { $ref: "#" } },
      required: ["name"],
      additionalProperties: false,
    };
    const names = ["a", "b", "c", "d", "e", "f"];
    const nested = (deepest: object) => names.reduceRight<object>((child, name) => ({ name, child }), deepest);
    answers(JSON.stringify(nested({ name: 7 })), JSON.stringify(nested({ name: "g" })));
    const { run } = await answered("forecaster", { structure: recursive });
    expect(run).toMatchObject({ status: "completed", steps: 2 });
    expect(run.data).toEqual(nested({ name: "g" }));
    const problem = `${names.map(() => "child").join(".")}.name: `;
    expect(requests()[1]?.lastUser).toContain(problem);
    const sent = JSON.stringify(requests()[0]?.structure);
    expect([sent.includes("$ref"), sent.includes("Its inner parts are left out here.")]).toEqual([false, true]);
    expect(sent.split('"name":{').length - 1).toBeLessThan(names.length);
  });

  it("STRUCT4 A structure is refused for an agent of two sides, because its answers are messages between the sides", async () => {
    const id = await newThread("debate");
    const result = await stubOf(id).call("postMessage", admin, message("Hi", { structure }), null);
    expect(result).toMatchObject({ ok: false, refusal: { message: expect.stringContaining("two sides") } });
  });
});

describe("structured answers as results", () => {
  it("STRUCT5 The result of a sub-prompt's call is the JSON of its data, and a wrong answer of it is requested again", async () => {
    let made = 0;
    scriptedAnswers.set("below", () => ({ text: (made += 1) === 1 ? wrong : text }));
    scriptedAnswers.set("newsdesk", ({ messages }) =>
      messages.at(-1)?.role === "tool"
        ? { text: messages.at(-1)?.content ?? "" }
        : { toolCalls: [{ name: "weather_below", arguments: { task: "Oslo?" } }] },
    );
    const { run } = await answered("newsdesk");
    expect([JSON.parse(run.text ?? ""), made]).toEqual([oslo, 2]);
    expect(run).not.toHaveProperty("data");
  });

  it("STRUCT5 After a handoff to an agent with a structure, the run has the data of that agent's answer", async () => {
    answers(text);
    scriptedAnswers.set("newsdesk", () => ({ toolCalls: [{ name: "forecaster", arguments: { task: "Oslo?" } }] }));
    expect((await answered("newsdesk")).run).toMatchObject({ status: "completed", data: oslo });
  });

  it("STRUCT5 The call of a sub-prompt has an error result if the sub-prompt's answers never match, and the run continues", async () => {
    scriptedAnswers.set("below", () => ({ text: wrong }));
    scriptedAnswers.set("newsdesk", ({ messages }) =>
      messages.at(-1)?.role === "tool"
        ? { text: messages.at(-1)?.content ?? "" }
        : { toolCalls: [{ name: "weather_below", arguments: { task: "Oslo?" } }] },
    );
    const { run } = await answered("newsdesk");
    expect(run.text).toContain("does not match its schema");
  });
});
