// Stand-ins for what the examples of UAP-1.0 leave out: the providers at the address of a local server, and small tools.

import type { Tool } from "threadhold/upp";
import { createProvider } from "threadhold/upp/provider";

let address = "";

/** Sets the address of the local server with the protocol of Anthropic's API. */
export function answerFrom(baseUrl: string): void {
  address = baseUrl;
}

/** A program imports it in this way instead: `import anthropic from "threadhold/upp/anthropic"`. */
export const anthropic = createProvider({
  protocol: "anthropic",
  apiKey: "a-key",
  fetch: (input, init) => fetch(new Request(input, init).url.replace("http://local-server", address), init),
  baseUrl: "http://local-server/v1",
});

export const print = (...values: unknown[]): void => console.log(...values);

/** A stand-in for a database: texts by their key. */
const texts = new Map<string, string>();
export const storage = {
  save: async (key: string, text: string): Promise<void> => void texts.set(key, text),
  load: async (key: string): Promise<string> => texts.get(key) ?? "",
};

function standIn(name: string, description: string, parameter: string, result: (value: string) => string): Tool {
  return {
    name,
    description,
    parameters: { type: "object", properties: { [parameter]: { type: "string" } }, required: [parameter] },
    run: async (params) => result(String(params[parameter])),
  };
}

export const Bash = standIn("Bash", "Runs a command.", "command", (command) => `$ ${command}\nok`);
export const Read = standIn("Read", "Reads a file.", "path", (path) => `// ${path}\nconst answer: number = "42";`);
export const Write = standIn("Write", "Writes a file.", "path", (path) => `wrote ${path}`);
export const Glob = standIn("Glob", "Finds files.", "pattern", () => "src/index.ts\nsrc/answer.ts");
export const Grep = standIn("Grep", "Searches in files.", "text", (text) => `src/answer.ts:1: ${text}`);
export const calculator = standIn("calculator", "Computes.", "expression", () => "42");

/** Adds up numbers. */
export const sum = (numbers: readonly number[]): number => numbers.reduce((total, each) => total + each, 0);

/** Checkpoints are saved in the background: waits until the condition holds. */
export async function until(condition: () => Promise<boolean>): Promise<void> {
  while (!(await condition())) await new Promise((resolve) => setTimeout(resolve, 1));
}

export const generateId = (): string => crypto.randomUUID();
