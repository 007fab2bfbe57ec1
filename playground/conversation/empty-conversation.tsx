// Shown in a thread without messages: the agent's description, its models and tools, and its starters.

import { useMutation } from "@tanstack/react-query";
import { useRef } from "react";
import type { ReactElement } from "react";
import type { ThreadHandle, ThreadView } from "threadhold/client";
import { useThreadState } from "threadhold/react";

import { AgentParts } from "../agents/agent-parts.tsx";
import { useAgents } from "../agents/use-agents.ts";
import { PlainButton } from "../kit/button.tsx";
import { ErrorNote } from "../kit/note.tsx";
import { useFocusAfterRemoval } from "../kit/use-focus-after-removal.ts";

import css from "./conversation.module.css";

const recordOf = ({ thread }: ThreadView): ThreadView["thread"] => thread;

/** The note, in place of the list. */
export function EmptyConversation({ handle }: { handle: ThreadHandle }): ReactElement {
  const thread = useThreadState(handle.id, recordOf);
  const place = useRef<HTMLDivElement>(null);
  useFocusAfterRemoval(place, () => document.getElementById("composer"));
  const { agents } = useAgents();
  const known = agents.find(({ agent: { name } }) => name === thread?.agent_id);
  const say = useMutation({
    mutationFn: (content: string) => handle.messages.post({ content }),
  });
  return (
    <div ref={place} className={css["nothing"]}>
      <h2>{known?.agent.title ?? "No messages yet"}</h2>
      {known === undefined ? null : (
        <>
          {known.agent.description === null ? null : <p>{known.agent.description}</p>}
          <AgentParts known={known} />
          {known.missing === null ? null : (
            <p className={css["missing"]}>
              Set <code>{known.missing}</code> in <code>.dev.vars</code> to use it.
            </p>
          )}
          {known.missing !== null || known.agent.starters.length === 0 ? null : (
            <ul className={css["starters"]} aria-label="Messages to begin with">
              {known.agent.starters.map((starter) => (
                <li key={starter}>
                  <PlainButton className={css["starter"]} disabled={say.isPending} onClick={() => say.mutate(starter)}>
                    {starter}
                  </PlainButton>
                </li>
              ))}
            </ul>
          )}
        </>
      )}
      {say.error === null ? null : <ErrorNote title="The message was not sent" error={say.error} />}
      <p className={css["hint"]}>
        <span>No messages yet.</span> Enter sends, Shift and Enter begin a new line; files can be dropped or pasted.
      </p>
    </div>
  );
}
