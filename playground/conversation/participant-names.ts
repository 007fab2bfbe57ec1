// The names of a conversation's participants: people, an agent, the two sides of an agent, and the agent or prompt that
// answers a call.

import { createContext, useMemo } from "react";
import type { MessageView, Thread } from "threadhold/client";

import { otherOwner, useCaller } from "../access/use-caller.ts";
import { useAgents } from "../agents/use-agents.ts";

export interface ParticipantNames {
  /** The name of the thread's own user. */
  user: string;
  /** The page's own user; null for an administrator without a user id. */
  me: string | null;
  a: string;
  b: string;
  /** Two models talk to each other. */
  two: boolean;
}

const plain: ParticipantNames = { user: "You", me: null, a: "Agent", b: "Side B", two: false };

/** The names for the conversation that contains a component. */
export const ParticipantNamesContext = createContext<ParticipantNames>(plain);

/** The names for a thread of this agent. In a child thread the user's messages are those of the call, named `Asked`. */
export function useParticipantNames(
  agentId: string,
  thread: Pick<Thread, "parent" | "user_id"> | null,
): ParticipantNames {
  const { agents } = useAgents();
  const caller = useCaller();
  const me = caller?.user_id ?? null;
  const owner = thread === null ? null : otherOwner(caller, thread);
  const called = thread?.parent != null;
  const agent = agents.find(({ agent: { name } }) => name === agentId)?.agent;
  return useMemo(() => {
    const user = called ? "Asked" : (owner ?? plain.user);
    if (agent?.type !== "dual_ai") return { ...plain, user, me };
    return { user, me, a: agent.sideA.label ?? "Side A", b: agent.sideB?.label ?? "Side B", two: true };
  }, [agent, called, owner, me]);
}

/** The name of a message's author. `under` is the name of the call that the message belongs to. */
export function authorName(
  { role, side, name, depth, author }: MessageView,
  under: string | null,
  names: ParticipantNames,
): string {
  if (name !== null && role !== "tool") return name;
  switch (role) {
    case "user":
      if (depth > 0) return "Asked";
      if (side === "b") return names.b;
      // A message has `author` only if its author is not the thread's user.
      if (author === undefined) return names.user;
      return author === null ? "Administrator" : author === names.me ? "You" : author;
    case "assistant":
      if (depth > 0) return under ?? "Sub-agent";
      return side === "b" ? names.b : names.a;
    case "tool":
      return "Tool";
    case "system":
      return "System";
    case "extension":
      return "Note";
  }
}
