// Who speaks in a conversation, in a word: people, an agent, the two sides of one, and whoever answers a call.

import { createContext, useMemo } from "react";
import type { MessageView, Thread } from "threadhold/client";

import { otherOwner, useCaller } from "../access/use-caller.ts";
import { useAgents } from "../agents/use-agents.ts";

/** What the voices are called. */
export interface Voices {
  /** The thread's own user. */
  asks: string;
  /** The page's own user; null for an administrator without a user id. */
  me: string | null;
  a: string;
  b: string;
  /** Two models talk to each other. */
  two: boolean;
}

const plain: Voices = { asks: "You", me: null, a: "Agent", b: "Side B", two: false };

/** The voices of the conversation around a message. */
export const VoicesContext = createContext<Voices>(plain);

/** The voices of a thread of this agent; of one that a call began, the caller asks. */
export function useVoices(agentId: string, thread: Pick<Thread, "parent" | "user_id"> | null): Voices {
  const { agents } = useAgents();
  const caller = useCaller();
  const me = caller?.user_id ?? null;
  const owner = thread === null ? null : otherOwner(caller, thread);
  const called = thread?.parent != null;
  const agent = agents.find(({ agent: { name } }) => name === agentId)?.agent;
  return useMemo(() => {
    const asks = called ? "Asked" : (owner ?? plain.asks);
    if (agent?.type !== "dual_ai") return { ...plain, asks, me };
    return { asks, me, a: agent.sideA.label ?? "Side A", b: agent.sideB?.label ?? "Side B", two: true };
  }, [agent, called, owner, me]);
}

/** Who speaks. `under` is the name of the call that the message is said to answer. */
export function speakerOf(
  { role, side, name, depth, author }: MessageView,
  under: string | null,
  voices: Voices,
): string {
  if (name !== null && role !== "tool") return name;
  switch (role) {
    case "user":
      if (depth > 0) return "Asked";
      if (side === "b") return voices.b;
      // A message has `author` only if its author is not the thread's user.
      if (author === undefined) return voices.asks;
      return author === null ? "Administrator" : author === voices.me ? "You" : author;
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
