// A thread in the inbox, with the forms for its calls.

import { useMemo } from "react";
import type { ReactElement } from "react";
import { ThreadholdClientError } from "threadhold/client";
import { useThreadholdClient } from "threadhold/react";
import { Link } from "wouter";

import { otherOwner, useCaller } from "../access/use-caller.ts";
import { CallContext } from "../conversation/call-context.ts";
import type { CallSettings } from "../conversation/call-context.ts";
import { PendingCall } from "../conversation/pending-calls.tsx";
import { threadPath, useAgentTitle, useNameOf } from "../threads/thread-title.ts";
import type { Outcome } from "./outcome-note.tsx";
import { placeOf } from "./waiting-call.ts";
import type { WaitingThread } from "./waiting-call.ts";

import css from "./inbox.module.css";

/** Characters of arguments that are shown at first, about ten lines. */
const foldAfter = 600;

interface WaitingThreadItemProps {
  entry: WaitingThread;
  /** Called with the key of a call when an answer is sent, and when an answer failed after which the call still waits. */
  onSent: (key: string) => void;
  onFailed: (key: string) => void;
  /** Called with the outcome of an answer, and the call's key. */
  onSettled: (outcome: Outcome, key: string) => void;
}

export function WaitingThreadItem({ entry, ...about }: WaitingThreadItemProps): ReactElement {
  const { thread, calls } = entry;
  const { onSent, onFailed, onSettled } = about;
  const client = useThreadholdClient();
  const handle = useMemo(() => client.thread(thread.id), [client, thread.id]);
  const nameOf = useNameOf();
  const agentTitle = useAgentTitle();
  const owner = otherOwner(useCaller(), thread);
  const title = nameOf(thread);
  const agent = agentTitle(thread.agent_id);
  // The list has the last message of the thread, so no thread is read for it.
  const { last_message: last } = thread;
  const reason = last == null ? null : { by: "Last message", text: last };
  const settings = calls.map((waiting): CallSettings => {
    const { key, call } = waiting;
    const place = placeOf(waiting);
    const name = call.kind === "limit" ? "The limit" : call.name;
    return {
      place,
      foldAfter,
      loadsOnClick: true,
      onSent: () => onSent(key),
      onAnswered: () => onSettled({ type: "answered", name, title, place }, key),
      onRefused: (error) => {
        if (isSettled(error)) onSettled({ type: "elsewhere", name, title, place }, key);
        else onFailed(key);
      },
    };
  });
  return (
    <li className={css["thread"]}>
      {/* No named section, because that is a landmark, and threads may have the same title. */}
      <div role="group" aria-label={title}>
        <header className={css["about"]}>
          <h2 className={css["name"]}>
            <Link href={threadPath(thread.id)}>{title}</Link>
          </h2>
          <p className={css["facts"]}>
            {agent === title ? null : <span>{agent}</span>}
            {owner === null ? null : <span>Thread of {owner}</span>}
          </p>
        </header>
        {calls.map(({ key, call }, at) => (
          <div key={key} data-waiting={key} tabIndex={-1} className={css["call"]}>
            <CallContext value={settings[at] as CallSettings}>
              <PendingCall handle={handle} call={call} reason={reason} />
            </CallContext>
          </div>
        ))}
      </div>
    </li>
  );
}

/** Whether an answer was refused because the call does not wait any more: it was answered, it expired, or its run or thread is gone. */
function isSettled(error: Error): boolean {
  return (
    error instanceof ThreadholdClientError &&
    (error.code === "conflict" || error.code === "tool_call_not_found" || error.code === "thread_not_found")
  );
}
