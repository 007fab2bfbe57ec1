// The conversations that every surface has, as data.

/** What a tool of a scenario does with a call. A call that waits never ends. */
type ToolWork = { returns: string } | { throws: string } | { reports: string } | "waits";

/** An error that a tool reports in the way of its surface, where it has one. */
export class ReportedError extends Error {}

/** A conversation. */
export interface Scenario {
  name: string;
  /** The cases of the model server that answer the requests in order. The last one also answers all later requests. */
  answers: string;
  /** Default: one prompt. */
  prompts?: readonly string[];
  /** What the tools do. Default: both return a text. */
  tools?: Partial<Record<ToolName, ToolWork>>;
  /** The tools of the conversation. Default: all. */
  offered?: readonly ToolName[];
  /** Whether requests ask for thinking. */
  isThinking?: boolean;
  /**
   * When the conversation is aborted: when the text of the answer is this, or when a call that waits has begun. The server sends `bytes` of
   * the answer, and nothing more.
   */
  abort?: { text: string; bytes: number } | "call";
  /** The maximum number of answers, or of rounds of calls where the surface counts those. */
  limit?: number;
}

/** The tools of all scenarios, by name. */
const toolNames = ["get_weather", "get_time"] as const;

type ToolName = (typeof toolNames)[number];

const parameters: Record<ToolName, string> = { get_weather: "city", get_time: "zone" };

const defaults: Record<ToolName, ToolWork> = {
  get_weather: { returns: "sunny" },
  get_time: { returns: "noon" },
};

/** A tool of a scenario. */
export interface ScenarioTool {
  name: ToolName;
  description: string;
  /** The name of its only parameter, a text. */
  parameter: string;
  /** Returns a text, throws, or calls `onCall` and never ends. */
  run: (onCall: () => void) => Promise<string>;
}

/** The tools of a scenario. */
export function toolsOf({ tools = {}, offered = toolNames }: Scenario): ScenarioTool[] {
  return offered.map((name) => ({
    name,
    description: `Does ${name}.`,
    parameter: parameters[name],
    async run(onCall) {
      const work = tools[name] ?? defaults[name];
      if (work === "waits") {
        onCall();
        return new Promise(() => {});
      }
      if ("throws" in work) throw new Error(work.throws);
      if ("reports" in work) throw new ReportedError(work.reports);
      return work.returns;
    },
  }));
}

/** The JSON Schema of a tool's arguments. */
export function schemaOf({ parameter }: ScenarioTool) {
  const properties = { [parameter]: { type: "string" } };
  return { type: "object" as const, properties, required: [parameter], additionalProperties: false };
}

export const system = "You are brief.";

export const promptsOf = ({ prompts = ["What is it like?"] }: Scenario): readonly string[] => prompts;

/** Calls `abort` when the deltas of a scenario's answer add up to its text. */
export function abortAfter({ abort: at }: Scenario, abort: () => void): (delta: string) => void {
  let text = "";
  return (delta) => {
    text += delta;
    if (typeof at === "object" && text === at.text) abort();
  };
}

export const scenarios: readonly Scenario[] = [
  { name: "a text", answers: "case:text" },
  { name: "parallel calls", answers: "case:parallel-calls|text" },
  {
    name: "a tool that throws, next to one that does not",
    answers: "case:parallel-calls|text",
    tools: { get_weather: { throws: "The station is closed." } },
  },
  {
    name: "a tool that reports an error",
    answers: "case:text-then-call|text",
    tools: { get_weather: { reports: "The station is closed." } },
  },
  {
    name: "signed thinking, a call, parallel calls of which one throws, and a text",
    answers: "case:thinking-then-call|parallel-calls|text",
    tools: { get_time: { throws: "The clock is late." } },
    isThinking: true,
  },
  { name: "text before a call", answers: "case:text-then-call|text" },
  { name: "signed thinking before a call", answers: "case:thinking-then-call|text", isThinking: true },
  {
    name: "thinking over two prompts",
    answers: "case:thinking-then-call|text|text",
    prompts: ["What is it like?", "And tomorrow?"],
    isThinking: true,
  },
  // The bytes of the case up to the end of its second delta.
  { name: "an abort in an answer", answers: "case:text", abort: { text: "Hello there, ", bytes: 732 } },
  {
    name: "an abort in a call",
    answers: "case:text-then-call|text",
    tools: { get_weather: "waits" },
    abort: "call",
  },
  { name: "a limit of two answers", answers: "case:tool-call", limit: 2 },
  { name: "a call of a tool that does not exist", answers: "case:parallel-calls|text", offered: ["get_weather"] },
  { name: "arguments that are no JSON", answers: "case:broken-arguments|text" },
  { name: "an answer that is cut at its length in a call", answers: "case:length-in-call|text" },
  { name: "a provider that refuses the key", answers: "case:auth" },
];
