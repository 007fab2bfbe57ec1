// Agents over the scripted provider, with the real loop.

import type { Agent, AgentOptions } from "#facade/uap/agent-contract.ts";
import { agent } from "#facade/uap/uap-agent.ts";
import type { AgentStreamEvent } from "#facade/uap/uap-event.ts";
import { createProvider } from "#facade/upp/create-provider.ts";
import type { ModelOptions } from "#facade/upp/model-reference.ts";

/** The provider whose models answer from a script. */
export const scripted = createProvider({ protocol: "test", name: "scripted" });

export type Script = NonNullable<ModelOptions["script"]>;

/** An agent whose model answers from a script. */
export function scriptedAgent(script: Script, more: Omit<AgentOptions, "model"> = {}): Agent {
  return agent({ model: scripted("scripted", { script }), ...more });
}

/** One answer of a script. */
export type ScriptedAnswer = Extract<Script, readonly unknown[]>[number];

/** A script that answers with these parts in order, and the texts of the messages of each request. */
export function recordedScript(answers: readonly ScriptedAnswer[]): { script: Script; requests: string[][] } {
  const requests: string[][] = [];
  const waiting = [...answers];
  return {
    requests,
    script: ({ messages }: { messages: readonly { role: string; content: string }[] }) => {
      requests.push(messages.map(({ role, content }) => `${role}: ${content}`));
      const answer = waiting.shift();
      if (answer === undefined) throw new Error("The script has no further answer.");
      return answer;
    },
  };
}

/** Reads every event of a stream. */
export async function eventsOf(stream: AsyncIterable<AgentStreamEvent>): Promise<AgentStreamEvent[]> {
  const events: AgentStreamEvent[] = [];
  for await (const event of stream) events.push(event);
  return events;
}

/** The types of an agent's own events with their steps, as `1 step_start`. */
export function stepsOf(events: readonly AgentStreamEvent[]): string[] {
  return events.flatMap((event) => (event.source === "uap" ? [`${event.uap.step} ${event.uap.type}`] : []));
}
