// The calls that wait for a person: an approval, the result of a remote tool, a higher limit, or the answer to a question.
// The run is suspended until someone answers, on this page or elsewhere. A call that asks a question keeps running.

import { useMutation, useQuery } from "@tanstack/react-query";
import type { ReactElement } from "react";
import type { JsonObject, OpenCall, ThreadHandle } from "threadhold/client";

import { useTool } from "../agents/use-agents.ts";
import { Button } from "../kit/button.tsx";
import { FormEnd } from "../kit/field.tsx";
import { ErrorNote, LoadingNote } from "../kit/note.tsx";
import { useNow } from "../kit/now.ts";
import { FormOfSchema } from "../schema-form/form-of-schema.tsx";
import { JsonView } from "./json-view.tsx";
import { LimitForm } from "./limit-form.tsx";
import { QuestionAnswer } from "./question-answer.tsx";
import { ReasonForm, useReason } from "./reason-form.tsx";
import { RemoteAnswer } from "./remote-answer.tsx";

import css from "./pending.module.css";

interface PendingCallsProps {
  handle: ThreadHandle;
  calls: readonly OpenCall[];
}

/** The calls, the oldest first. */
export function PendingCalls({ handle, calls }: PendingCallsProps): ReactElement {
  return (
    <section className={css["pending"]} aria-label="Waits for you">
      {calls.map((call) => (
        <PendingCall key={`${call.thread_id ?? ""} ${call.id}`} handle={handle} call={call} />
      ))}
    </section>
  );
}

const asks = {
  approval: "waits for approval",
  remote: "waits for its result",
  limit: "The run reached a limit",
  question: "asks you a question",
} as const;

function PendingCall({ handle, call }: { handle: ThreadHandle; call: OpenCall }): ReactElement {
  const now = useNow();
  // Large arguments are not part of the pending call, so they are loaded.
  const known = useQuery({
    queryKey: ["arguments", call.thread_id ?? handle.id, call.id],
    queryFn: ({ signal }) => handle.tools.argumentsOf(call, { signal }),
    enabled: call.arguments === undefined,
  });
  const args = call.arguments ?? known.data;
  return (
    <article
      className={css["call"]}
      data-kind={call.kind}
      aria-label={call.kind === "limit" ? asks.limit : `${call.name} ${asks[call.kind]}`}
    >
      <header className={css["head"]}>
        {call.kind === "limit" ? null : <code className={css["name"]}>{call.name}</code>}
        <span>{asks[call.kind]}</span>
        {call.deadline === null ? null : <span className={css["deadline"]}>{left(call.deadline, now)}</span>}
      </header>
      {known.error === null ? null : <ErrorNote title="The arguments could not be read" error={known.error} />}
      {args === undefined ? (
        known.error === null ? (
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

interface ApprovalProps {
  handle: ThreadHandle;
  call: OpenCall;
  args: JsonObject | string;
}

function Approval({ handle, call, args }: ApprovalProps): ReactElement {
  const tool = useTool(call.name);
  const reason = useReason();
  const approve = useMutation({
    mutationFn: (changed: JsonObject | undefined) =>
      handle.tools.approve(call.id, changed === undefined ? {} : { args: changed }),
  });
  const decline = useMutation({
    mutationFn: (reason: string | undefined) => handle.tools.decline(call.id, reason),
  });
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
      {/* Edited arguments are kept for a later visit. */}
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

/** The remaining time in whole minutes or hours. */
function left(deadline: number, now: number): string {
  const minutes = Math.max(0, Math.ceil((deadline / 1000 - now) / 60_000));
  return minutes < 120 ? `${minutes} min left` : `${Math.floor(minutes / 60)} h left`;
}
