// The outcome that every surface has, for each scenario. It is that of a thread.

import { offeredText } from "./normal-form.ts";
import type { Outcome } from "./normal-form.ts";
import { promptsOf, schemaOf, system, toolsOf } from "./scenario.ts";
import type { Scenario } from "./scenario.ts";

const hello = "assistant: Hello there, how can I help?";
const requested = "user: What is it like?";
const again = "user: And tomorrow?";
const both = 'assistant: [get_weather {"city":"Paris"}] [get_time {"zone":"UTC"}]';
const looking = 'assistant: Let me look. [get_weather {"city":"Rome"}]';
const zurich = 'assistant: [get_weather {"city":"Zürich"}]';
const signed = 'assistant: (I need the weather. signed EqQBCkYIBxgCKkD+sig2) [get_weather {"city":"Rome"}]';
const thought = 'assistant: (I need the weather.) [get_weather {"city":"Rome"}]';
const unsigned = 'assistant: [get_weather {"city":"Rome"}]';
const unknown = 'There is no tool named "get_time". Available: get_weather.';
const noJson = 'The arguments are not a JSON object: {"city": Par';
const stopped = "The run was stopped before this tool finished.";

/** The fields of an outcome that differ between scenarios. The end is `completed` if it is absent. */
type Expected = Pick<Outcome, "messages" | "requests"> & { end?: string; usage: [input: number, output: number] };

/** Two requests: the prompt, and the prompt with an answer and its results. */
const twoRequests = (answer: string, results: string): string[][] => [
  [requested],
  [requested, answer, `user: ${results}`],
];

const expected: Record<string, Expected> = {
  "a text": { messages: [requested, hello], requests: [[requested]], usage: [12, 8] },
  "parallel calls": {
    messages: [requested, both, "get_weather: sunny", "get_time: noon", hello],
    requests: twoRequests(both, "{sunny} {noon}"),
    usage: [82, 41],
  },
  "a tool that throws, next to one that does not": {
    messages: [requested, both, "get_weather failed: The station is closed.", "get_time: noon", hello],
    requests: twoRequests(both, "{failed The station is closed.} {noon}"),
    usage: [82, 41],
  },
  "a tool that reports an error": {
    messages: [requested, looking, "get_weather failed: The station is closed.", hello],
    requests: twoRequests(looking, "{failed The station is closed.}"),
    usage: [56, 24],
  },
  "signed thinking, a call, parallel calls of which one throws, and a text": {
    messages: [
      requested,
      thought,
      "get_weather: sunny",
      both,
      "get_weather: sunny",
      "get_time failed: The clock is late.",
      hello,
    ],
    requests: [
      ...twoRequests(signed, "{sunny}"),
      [requested, signed, "user: {sunny}", both, "user: {sunny} {failed The clock is late.}"],
    ],
    usage: [126, 57],
  },
  "text before a call": {
    messages: [requested, looking, "get_weather: sunny", hello],
    requests: twoRequests(looking, "{sunny}"),
    usage: [56, 24],
  },
  "signed thinking before a call": {
    messages: [requested, thought, "get_weather: sunny", hello],
    requests: twoRequests(signed, "{sunny}"),
    usage: [56, 24],
  },
  "thinking over two prompts": {
    messages: [requested, thought, "get_weather: sunny", hello, again, hello],
    requests: [...twoRequests(signed, "{sunny}"), [requested, unsigned, "user: {sunny}", hello, again]],
    usage: [68, 32],
  },
  "an abort in an answer": {
    messages: [requested, "assistant aborted: Hello there, "],
    end: "aborted",
    requests: [[requested]],
    usage: [12, 4],
  },
  "an abort in a call": {
    messages: [requested, looking, `get_weather failed: ${stopped}`],
    end: "aborted",
    requests: [[requested]],
    usage: [44, 16],
  },
  "a limit of two answers": {
    messages: [requested, zurich, "get_weather: sunny", zurich, "get_weather: sunny"],
    end: "limit",
    requests: twoRequests(zurich, "{sunny}"),
    usage: [120, 34],
  },
  "a call of a tool that does not exist": {
    messages: [requested, both, "get_weather: sunny", `get_time failed: ${unknown}`, hello],
    requests: twoRequests(both, `{sunny} {failed ${unknown}}`),
    usage: [82, 41],
  },
  "arguments that are no JSON": {
    messages: [requested, 'assistant: [get_weather {"city": Par]', `get_weather failed: ${noJson}`, hello],
    requests: twoRequests("assistant: [get_weather {}]", `{failed ${noJson}}`),
    usage: [52, 14],
  },
  "an answer that is cut at its length in a call": {
    messages: [requested, "assistant: "],
    end: "error",
    requests: [[requested]],
    usage: [40, 6],
  },
  "a provider that refuses the key": { messages: [requested], end: "error", requests: [[requested]], usage: [0, 0] },
};

/** The outcome of a scenario. */
export function expectedOf(scenario: Scenario): Outcome {
  const found = expected[scenario.name];
  if (found === undefined)
    throw new Error(`The scenario "${scenario.name}" of ${promptsOf(scenario).length} prompts has no outcome.`);
  const [input, output] = found.usage;
  const tools = toolsOf(scenario).map((tool) => ({ ...tool, schema: schemaOf(tool) }));
  return {
    end: "completed",
    ...found,
    usage: { input, output, total: input + output },
    offered: [offeredText(system, tools)],
    // A cache of the provider is used by default.
    isMarked: true,
  };
}

/** Texts that differences share with the outcomes. */
export const texts = { requested, again, hello, both, looking, zurich, signed, thought, noJson, twoRequests };
