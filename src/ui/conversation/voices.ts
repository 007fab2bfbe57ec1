// Who speaks in a conversation, in a word: people, an agent, the two sides of one, and whoever answers a call.

import { createContext, useMemo } from "react";

import type { MessageView } from "#client/index.ts";

import { useAgents } from "../agents/use-agents.ts";

/** What the voices are called. */
export interface Voices {
  /** Whoever asks. */
  asks: string;
  a: string;
  b: string;
  /** Two models talk to each other. */
  two: boolean;
}

const plain: Voices = { asks: "You", a: "Agent", b: "Side B", two: false };

/** The voices of the conversation around a message. */
export const VoicesContext = createContext<Voices>(plain);

/** The voices of a thread of this agent; of one that a call began, the caller asks. */
export function useVoices(agentId: string, called: boolean): Voices {
  const { agents } = useAgents();
  const agent = agents.find(({ agent: { name } }) => name === agentId)?.agent;
  return useMemo(() => {
    const asks = called ? "Asked" : plain.asks;
    if (agent?.type !== "dual_ai") return { ...plain, asks };
    return { asks, a: agent.sideA.label ?? "Side A", b: agent.sideB?.label ?? "Side B", two: true };
  }, [agent, called]);
}

/** Who speaks. `under` is the name of the call that the message is said to answer. */
export function speakerOf({ role, side, name, depth }: MessageView, under: string | null, voices: Voices): string {
  if (name !== null && role !== "tool") return name;
  switch (role) {
    case "user":
      if (depth > 0) return "Asked";
      return side === "b" ? voices.b : voices.asks;
    case "assistant":
      if (depth > 0) return under ?? "Sub-agent";
      return side === "b" ? voices.b : voices.a;
    case "tool":
      return "Tool";
    case "system":
      return "System";
    case "extension":
      return "Note";
  }
}
