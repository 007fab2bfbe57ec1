// The allowed differences between a surface and a thread. Each has a decision: a sentence of a record. A difference that does not occur fails
// the suite.

import { expectedOf, texts } from "./expected.ts";
import type { Outcome, SurfaceName } from "./normal-form.ts";
import type { Scenario } from "./scenario.ts";

/** A field of an outcome that a surface has in another way. */
export interface Difference<Field extends keyof Outcome = keyof Outcome> {
  surface: SurfaceName;
  scenario: string;
  field: Field;
  /** The value in place of the thread's. */
  expected: Outcome[Field];
  /** The record, and the beginning of its statement. */
  decision: { record: string; statement: string };
}

const { requested, again, hello, both, looking, zurich, signed, noJson, twoRequests } = texts;

const upp = (statement: string) => ({ record: "docs/decisions/0045-upp-in-process.md", statement });
const agents = (statement: string) => ({ record: "docs/decisions/0046-uap-in-process.md", statement });
const loop = (statement: string) => ({ record: "docs/decisions/0063-the-loop-as-a-library.md", statement });
const session = (statement: string) => ({ record: "docs/decisions/0011-sessions-in-process.md", statement });

const failedTurn = upp("**A turn that fails has no result:**");
const failedAgent = agents("**`partialState(error)` returns the state up to an error.**");
const ownTexts = loop("**Texts that a model reads in place of a result are those of the document**");
const wholeHistory = [...twoRequests(signed, "{sunny}"), [requested, signed, "user: {sunny}", hello, again]];

/** What a turn of `llm()` has that fails: the error alone. */
const without = (scenario: string): Difference[] => [
  { surface: "upp", scenario, field: "messages", expected: [], decision: failedTurn },
  { surface: "upp", scenario, field: "usage", expected: null, decision: failedTurn },
  { surface: "agents", scenario, field: "usage", expected: null, decision: failedTurn },
];

export const differences: readonly Difference[] = [
  {
    surface: "upp",
    scenario: "thinking over two prompts",
    field: "requests",
    expected: wholeHistory,
    decision: upp("**The whole history is sent with its opaque data,**"),
  },
  {
    surface: "agents",
    scenario: "thinking over two prompts",
    field: "requests",
    expected: wholeHistory,
    decision: upp("**The whole history is sent with its opaque data,**"),
  },
  {
    surface: "loop",
    scenario: "thinking over two prompts",
    field: "requests",
    expected: wholeHistory,
    decision: loop("**The context is sent as it is,**"),
  },

  ...without("an abort in an answer"),
  {
    surface: "agents",
    scenario: "an abort in an answer",
    field: "messages",
    // A message of UAP has no stop reason.
    expected: [requested, "assistant: Hello there, "],
    decision: failedAgent,
  },
  ...without("an abort in a call"),
  {
    surface: "loop",
    scenario: "an abort in a call",
    field: "messages",
    expected: [requested, looking, "get_weather failed: Cancelled."],
    decision: ownTexts,
  },
  {
    surface: "session",
    scenario: "an abort in a call",
    field: "end",
    expected: "completed",
    decision: session("An abort and\n  a limit are `completed`"),
  },

  // The count is of rounds of calls: the calls of the answer after the last round are left unexecuted, and the turn fails.
  {
    surface: "upp",
    scenario: "a limit of two answers",
    field: "requests",
    expected: [...twoRequests(zurich, "{sunny}"), [requested, zurich, "user: {sunny}", zurich, "user: {sunny}"]],
    decision: upp("`maxIterations` is the strategy's `allows`"),
  },
  {
    surface: "upp",
    scenario: "a limit of two answers",
    field: "end",
    expected: "error",
    decision: failedTurn,
  },
  { surface: "upp", scenario: "a limit of two answers", field: "messages", expected: [], decision: failedTurn },
  { surface: "upp", scenario: "a limit of two answers", field: "usage", expected: null, decision: failedTurn },
  {
    surface: "agents",
    scenario: "a limit of two answers",
    field: "end",
    expected: "completed",
    decision: agents("**An execution that reaches `maxIterations` is complete**"),
  },
  {
    surface: "session",
    scenario: "a limit of two answers",
    field: "end",
    expected: "completed",
    decision: session("An abort and\n  a limit are `completed`"),
  },
  {
    surface: "loop",
    scenario: "a limit of two answers",
    field: "messages",
    expected: [
      requested,
      zurich,
      "get_weather: sunny",
      zurich,
      "get_weather: sunny",
      "user: [Agent stopped: max turns exceeded]",
    ],
    decision: loop("`[Agent stopped: max turns exceeded]` is the text of the documents."),
  },

  {
    surface: "loop",
    scenario: "a call of a tool that does not exist",
    field: "messages",
    expected: [requested, both, "get_weather: sunny", "get_time failed: Tool get_time not found", hello],
    decision: ownTexts,
  },
  {
    surface: "loop",
    scenario: "a call of a tool that does not exist",
    field: "requests",
    expected: twoRequests(both, "{sunny} {failed Tool get_time not found}"),
    decision: ownTexts,
  },

  ...(["upp", "agents"] as const).map((surface): Difference => ({
    surface,
    scenario: "arguments that are no JSON",
    field: "messages",
    expected: [requested, "assistant: [get_weather {}]", `get_weather failed: ${noJson}`, hello],
    decision: upp("**Arguments that are no JSON object are `{}`,**"),
  })),

  {
    surface: "upp",
    scenario: "an answer that is cut at its length in a call",
    field: "end",
    expected: "completed",
    decision: upp("**A blank answer is an answer,**"),
  },
  {
    surface: "agents",
    scenario: "an answer that is cut at its length in a call",
    field: "end",
    expected: "completed",
    decision: agents("**Blank answers are answers.**"),
  },
  {
    surface: "loop",
    scenario: "an answer that is cut at its length in a call",
    field: "end",
    expected: "completed",
    decision: loop("**A blank answer ends a loop like any other,**"),
  },
  {
    surface: "session",
    scenario: "an answer that is cut at its length in a call",
    field: "messages",
    expected: [requested, "assistant: ", "assistant error: "],
    decision: session("a failure is the status `error`, a message and an event."),
  },

  ...without("a provider that refuses the key"),
  {
    surface: "session",
    scenario: "a provider that refuses the key",
    field: "messages",
    expected: [requested, "assistant error: "],
    decision: session("a failure is the status `error`, a message and an event."),
  },
  {
    surface: "loop",
    scenario: "a provider that refuses the key",
    field: "messages",
    expected: [requested, "assistant error: "],
    decision: loop("An error before any text has an empty message."),
  },
];

/** The outcome of a scenario through a surface: that of a thread, with the differences. */
export function expectedBy(surface: SurfaceName, scenario: Scenario): Outcome {
  const own = differences.filter((one) => one.surface === surface && one.scenario === scenario.name);
  return { ...expectedOf(scenario), ...Object.fromEntries(own.map(({ field, expected }) => [field, expected])) };
}
