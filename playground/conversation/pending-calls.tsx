// The calls that wait for a person: an approval, the result of a remote tool, a higher limit, or the answer to a question.
// The run is suspended until someone answers, on this page or elsewhere. A call that asks a question keeps running.

import { useQuery } from "@tanstack/react-query";
import { useContext, useRef, useState } from "react";
import type { ReactElement } from "react";
import type { JsonObject, MessageView, PendingCall as WaitingCall, ThreadHandle } from "threadhold/client";
import { Link } from "wouter";

import { useTool } from "../agents/use-agents.ts";
import { Button } from "../kit/button.tsx";
import { FormEnd } from "../kit/field.tsx";
import { dayAndTime, iso } from "../kit/figures.ts";
import { ErrorNote, LoadingNote } from "../kit/note.tsx";
import { useAgo } from "../kit/now.ts";
import { useFocusAfterRemoval } from "../kit/use-focus-after-removal.ts";
import { FormOfSchema } from "../schema-form/form-of-schema.tsx";
import { CallContext, useAnswer } from "./call-context.ts";
import { textBefore } from "./call-reason.ts";
import type { CallReason } from "./call-reason.ts";
import { JsonView } from "./json-view.tsx";
import { LimitForm } from "./limit-form.tsx";
import { QuestionAnswer } from "./question-answer.tsx";
import { ReasonForm, useReason } from "./reason-form.tsx";
import { RemoteAnswer } from "./remote-answer.tsx";
import { TimeLeft } from "./time-left.tsx";

import css from "./pending.module.css";

interface PendingCallsProps {
  handle: ThreadHandle;
  calls: readonly WaitingCall[];
  messages: readonly MessageView[];
}

/** The calls, the oldest first. */
export function PendingCalls({ handle, calls, messages }: PendingCallsProps): ReactElement {
  return (
    <section className={css["pending"]} aria-label="Waits for you">
      {calls.map((call) => {
        const text = textBefore(call, messages);
        return (
          <PendingCall
            key={`${call.thread_id ?? ""} ${call.id}`}
            handle={handle}
            call={call}
            reason={text === null ? null : { by: "The agent wrote", text }}
          />
        );
      })}
    </section>
  );
}

/** What a call waits for, by its kind. */
export const asks = {
  approval: "waits for approval",
  remote: "waits for its result",
  limit: "The run reached a limit",
  question: "asks you a question",
} as const;

interface PendingCallProps {
  handle: ThreadHandle;
  call: WaitingCall;
  /** The text before the call; null if there is none. */
  reason: CallReason | null;
}

/** A call, with the form that answers it. */
export function PendingCall({ handle, call, reason }: PendingCallProps): ReactElement {
  const { place, loadsOnClick } = useContext(CallContext);
  const [asked, setAsked] = useState(!loadsOnClick);
  // Large arguments are not part of the pending call, so they are loaded.
  const known = useQuery({
    queryKey: ["arguments", call.thread_id ?? handle.id, call.id],
    queryFn: ({ signal }) => handle.tools.argumentsOf(call, { signal }),
    enabled: call.arguments === undefined && asked,
  });
  const args = call.arguments ?? known.data;
  const article = useRef<HTMLElement>(null);
  useFocusAfterRemoval(article, (removed) => {
    const others = [...(removed.parentElement?.querySelectorAll<HTMLElement>(":scope > [data-kind]") ?? [])];
    return others.find((other) => other !== removed) ?? document.getElementById("messages");
  });
  return (
    <article
      ref={article}
      tabIndex={-1}
      className={css["call"]}
      data-kind={call.kind}
      aria-label={call.kind === "limit" ? asks.limit : `${call.name} ${asks[call.kind]}`}
    >
      <header className={css["head"]}>
        {call.kind === "limit" ? null : <code className={css["name"]}>{call.name}</code>}
        <span>{asks[call.kind]}</span>
        {call.since === undefined ? null : <Since at={call.since} />}
        {place === null ? null : (
          <Link href={place} className={css["place"] ?? ""}>
            Show in the thread
          </Link>
        )}
        {call.deadline === null ? null : <TimeLeft deadline={call.deadline} className={css["deadline"]} />}
      </header>
      {reason === null || call.kind === "limit" ? null : (
        <p className={css["reason"]}>
          <span className={css["by"]}>{reason.by}: </span>
          {reason.text}
        </p>
      )}
      {known.error === null ? null : <ErrorNote title="The arguments could not be read" error={known.error} />}
      {args === undefined ? (
        !asked ? (
          <div>
            <Button onClick={() => setAsked(true)}>Show the arguments</Button>
          </div>
        ) : known.error === null ? (
          <LoadingNote what="the arguments" />
        ) : null
      ) : call.kind === "approval" ? (
        <Approval handle={handle} call={call} args={args} />
      ) : call.kind === "remote" ? (
        <RemoteAnswer handle={handle} call={call} args={args} />
      ) : call.kind === "question" ? (
        <QuestionAnswer handle={handle} call={call} args={args} />
      ) : (
        <LimitForm handle={handle} args={args} />
      )}
    </article>
  );
}

/** The time for which a call has waited. */
function Since({ at }: { at: number }): ReactElement {
  const ago = useAgo(at);
  return (
    <time className={css["since"]} dateTime={iso(at)} title={`Waits since ${dayAndTime(at)}`}>
      {ago === "now" ? "just now" : /^\d+ \w$/.test(ago) ? `${ago} ago` : ago}
    </time>
  );
}

interface ApprovalProps {
  handle: ThreadHandle;
  call: WaitingCall;
  args: JsonObject | string;
}

function Approval({ handle, call, args }: ApprovalProps): ReactElement {
  const tool = useTool(call.name);
  const reason = useReason();
  const approve = useAnswer((changed: JsonObject | undefined) =>
    handle.tools.approve(call.id, changed === undefined ? {} : { args: changed }),
  );
  const decline = useAnswer((text: string | undefined) => handle.tools.decline(call.id, text));
  const busy = approve.isPending || decline.isPending;
  const error = approve.error ?? decline.error;
  const editable = call.editable_arguments === true && typeof args === "object" && tool != null;
  // Waits for the tool's schema, so that the arguments are not shown first as text and then as a form.
  if (call.editable_arguments === true && tool === undefined) return <LoadingNote what="the form" />;
  const buttons = (
    <>
      {error === null ? null : <ErrorNote title="This was not accepted" error={error} />}
      <FormEnd>
        <Button ref={reason.opener} onClick={reason.ask} disabled={busy}>
          Decline
        </Button>
        <Button
          kind="primary"
          disabled={busy}
          {...(editable ? { type: "submit" as const } : { onClick: () => approve.mutate(undefined) })}
        >
          {approve.isPending ? "Approving…" : "Approve"}
        </Button>
      </FormEnd>
    </>
  );
  return (
    <>
      {/* Hidden and not removed, so that edited arguments are kept while the other form is open. */}
      <div hidden={reason.asking}>
        {editable ? (
          <FormOfSchema
            schema={tool.parameters}
            value={args}
            label={`Arguments of ${call.name}`}
            onSubmit={(changed) => approve.mutate(same(changed, args) ? undefined : changed)}
          >
            {buttons}
          </FormOfSchema>
        ) : (
          <div className={css["form"]}>
            <JsonView label="Arguments" value={args} />
            {buttons}
          </div>
        )}
      </div>
      {reason.asking ? (
        <ReasonForm
          reason={reason}
          label="Why not"
          does="Decline the call"
          danger
          busy={busy}
          error={error}
          onSubmit={(text) => decline.mutate(text)}
        />
      ) : null}
    </>
  );
}

function same(one: JsonObject, other: JsonObject): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
