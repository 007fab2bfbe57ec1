// Runs that wait at a gate, and requests of MCP clients without the official client.

import type { CallAnswer } from "../../support/mcp-client.ts";
import { gate, scripts } from "../../worker/definitions.ts";
import { as, post } from "./mcp-app.ts";

/** Registers a script under a word of its own and returns the word. */
export function script(answer: Parameters<typeof scripts.set>[1]): string {
  const word = `mcp-${crypto.randomUUID()}`;
  scripts.set(word, answer);
  return word;
}

/** A word whose run waits at a gate, and the gate. */
export function waitingRun() {
  const name = crypto.randomUUID();
  const opened = gate(name);
  const word = script(({ step }) =>
    step === 0 ? { toolCalls: [{ name: "wait", arguments: { gate: name } }] } : { text: "The gate is open." },
  );
  return { word, name, ...opened };
}

/** The headers of a new session of Anna. */
export async function sessionHeaders(): Promise<Record<string, string>> {
  const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "test", version: "1" } };
  const response = await post({ jsonrpc: "2.0", id: 0, method: "initialize", params });
  return { ...as("anna"), "mcp-session-id": response.headers.get("mcp-session-id") ?? "" };
}

/** The result of a call, from JSON or from a stream. */
export async function resultOf(response: Response): Promise<{
  isError: boolean;
  content: unknown;
  structuredContent?: CallAnswer["data"];
}> {
  const text = await response.text();
  const json = text.startsWith("{") ? text : (/^data: (\{.*"result".*\})$/m.exec(text)?.[1] ?? "");
  return (JSON.parse(json) as { result: never }).result;
}
