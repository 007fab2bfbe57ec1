// The normal form of a conversation: what every surface of the package has in common, as short texts. Ids, times and the names that a surface gives to its
// types are left out.

import type { ThreadState } from "#spec/index.ts";

import type { WireRequest } from "../standard-agents/wire.ts";

/** What a conversation was, in the normal form. Each field is compared by itself. */
export interface Outcome {
  /** The messages that the surface has after the conversation, one line for each, with blocks in their order. */
  messages: string[];
  /** How the last prompt ended: `completed`, `aborted`, `limit`, or `error` with a code or a kind. */
  end: string;
  /** The sums of all answers; null if the surface gives none. */
  usage: { input: number; output: number; total: number } | null;
  /** The messages of each request that reached the provider. */
  requests: string[][];
  /** The system prompt and the tools of each request that reached the provider: one entry if all are equal. */
  offered: string[];
  /** Whether requests have marks for the provider's cache. */
  isMarked: boolean;
}

/** What a surface has after a conversation. The requests are read from the server. */
export type Held = Pick<Outcome, "messages" | "end" | "usage">;

/** A model at the server, with the headers that mark its requests. */
export interface ServedModel {
  model: string;
  baseUrl: string;
  headers: Record<string, string>;
  /** The state of a thread's tool, for a conversation in the tool. */
  in?: ThreadState;
}

/** The surfaces: `llm()`, `agent()`, `BasicAgent`, a session and a thread. */
export const surfaceNames = ["upp", "agents", "loop", "session", "thread"] as const;

export type SurfaceName = (typeof surfaceNames)[number];

/** A block of a message in the normal form. */
export type Block = { text: string } | { thinking: string } | { call: string; args: unknown };

/** The line of an answer. `mark` is how it ended, if that is not by itself. */
export function answerLine(blocks: readonly Block[], mark = ""): string {
  const texts = blocks.map((block) => {
    if ("call" in block) return `[${block.call} ${argumentsText(block.args)}]`;
    return "text" in block ? block.text : `(${block.thinking})`;
  });
  return `assistant${mark === "" ? "" : ` ${mark}`}: ${texts.join(" ")}`;
}

export function userLine(text: string): string {
  return `user: ${text}`;
}

/** The line of a call's result. */
export function resultLine({ name, text, failed }: { name: string; text: string; failed: boolean }): string {
  return `${name}${failed ? " failed" : ""}: ${text}`;
}

/** The arguments of a call as JSON; as the model wrote them if that is no JSON. */
function argumentsText(args: unknown): string {
  return typeof args === "string" ? args : JSON.stringify(args);
}

/** The fields of a request of Anthropic's API that are compared. */
interface SentBody {
  system?: string | { text: string }[];
  messages: { role: string; content: string | SentBlock[] }[];
  tools?: { name: string; description: string; input_schema: unknown }[];
}

interface SentBlock {
  type: string;
  text?: string;
  thinking?: string;
  signature?: string;
  id?: string;
  name?: string;
  input?: unknown;
  tool_use_id?: string;
  content?: string | { text?: string }[];
  is_error?: boolean;
}

const textOf = (content: string | { text?: string }[] | undefined): string =>
  typeof content === "string" ? content : (content ?? []).map(({ text = "" }) => text).join("");

/** What a request offers: the system prompt and the tools, a line for each. */
export function offeredText(
  system: string,
  tools: readonly { name: string; description: string; schema: unknown }[],
): string {
  return [system, ...tools.map(({ name, description, schema }) => `${name}: ${description} ${stable(schema)}`)].join(
    "\n",
  );
}

/** The requests in the normal form. A signature is shown, because a provider refuses thinking without it. */
export function requestsOf(sent: readonly WireRequest[]): Pick<Outcome, "requests" | "offered" | "isMarked"> {
  const bodies = sent.map(({ body }) => body as unknown as SentBody);
  const offered = bodies.map(({ system, tools = [] }) =>
    offeredText(
      textOf(system),
      tools.map(({ input_schema: schema, ...tool }) => ({ ...tool, schema })),
    ),
  );
  return {
    requests: bodies.map(({ messages }) => messages.flatMap(sentLines)),
    offered: [...new Set(offered)],
    isMarked: JSON.stringify(bodies).includes("cache_control"),
  };
}

/** The lines of a message, one for each result among its blocks. */
function sentLines({ role, content }: SentBody["messages"][number]): string[] {
  if (typeof content === "string") return [`${role}: ${content}`];
  const blocks = content.map((block) => {
    switch (block.type) {
      case "text":
        return block.text ?? "";
      case "thinking":
        return `(${block.thinking ?? ""} signed ${block.signature ?? "nothing"})`;
      case "tool_use":
        return `[${block.name ?? ""} ${argumentsText(block.input)}]`;
      case "tool_result":
        return `{${block.is_error === true ? "failed " : ""}${textOf(block.content)}}`;
      default:
        return `<${block.type}>`;
    }
  });
  return [`${role}: ${blocks.join(" ")}`];
}

/** JSON with sorted names. */
function stable(value: unknown): string {
  return JSON.stringify(value, (_key, one: unknown) =>
    typeof one === "object" && one !== null && !Array.isArray(one)
      ? Object.fromEntries(Object.entries(one).toSorted(([left], [right]) => (left < right ? -1 : 1)))
      : one,
  );
}
