// Questions that a running call asks a person. An open question is an entry of the thread's pending calls, and `questions_changed` is
// emitted when one is added or removed. The waiting call is only in memory, so recovery removes the questions of an interrupted run.

import { refuse } from "#contract/error.ts";
import type { PendingCall } from "#contract/thread.ts";
import type { Question, QuestionAnswer } from "#core/ports/question-port.ts";
import type { WaitingCall } from "#core/record/awaited.ts";
import type { ThreadRecord } from "#core/record/record.ts";
import { clientSchema } from "#flow/setup/client-schema.ts";
import type { ClientSchema } from "#flow/setup/client-schema.ts";
import { jsonBytes } from "#lib/cut-text.ts";

import { enqueueCalls } from "../children/outbound-messages.ts";
import type { Deployment } from "../deployment.ts";
import type { LiveThread } from "../live/live-thread.ts";
import type { SuspensionContext } from "./suspension.ts";

/**
 * The maximum number of open questions of a thread, and of bytes of JSON of one question. The thread's row and the catalog (the deployment's
 * index of all threads) contain the questions.
 */
const mostOpen = 4;
const questionBytes = 8 * 1024;

/** The pending calls that are questions. */
export function questionsIn({ pending = [] }: Pick<ThreadRecord, "pending">): PendingCall[] {
  return pending.filter(({ kind }) => kind === "question");
}

/**
 * Asks a question during a call of the executed run. Resolves with the answer, with `timeout` when the time is over, or with `cancel` when
 * the signal fires. Rejects if the question cannot be asked.
 */
export function askInRun(
  context: SuspensionContext & { deployment: Deployment },
  { callId, question, signal }: { callId: string; question: Question; signal: AbortSignal },
): Promise<QuestionAnswer> {
  const { live } = context;
  const { clock } = context.deployment;
  const { questions, run, messages } = live.runState;
  return new Promise((resolve) => {
    const row = messages?.findLast(({ tool_call_id, status }) => tool_call_id === callId && status === "started");
    if (signal.aborted || run === null || row === undefined) {
      resolve({ action: "cancel" });
      return;
    }
    const now = clock.now();
    const call: WaitingCall = {
      id: live.uuids.next(),
      name: row.name ?? "",
      kind: "question",
      arguments: { message: question.message, schema: question.schema },
      message_id: row.id,
      since: now,
      deadline: now + question.timeoutMs * 1000,
    };
    const check = checkOf(question, questions.size);
    const end = (answer: QuestionAnswer): void => {
      if (!questions.remove(call.id)) return;
      disarm();
      signal.removeEventListener("abort", withdraw);
      resolve(answer);
      if (live.retired) return;
      const others = questionsIn(live.record).filter(({ id }) => id !== call.id);
      recordQuestions(context, run.id, others);
    };
    const withdraw = () => end({ action: "cancel" });
    context.wakeups.webhook?.add([call]);
    recordQuestions(context, run.id, [...questionsIn(live.record), call]);
    questions.add({ id: call.id, runId: run.id, check, end });
    const disarm = clock.after(question.timeoutMs, () => end({ action: "timeout" }));
    signal.addEventListener("abort", withdraw);
  });
}

/** The check of the answer. Throws if the question cannot be asked. */
function checkOf({ message, schema }: Question, open: number): ClientSchema["check"] {
  if (open >= mostOpen) {
    throw refuse(
      "conflict",
      `At most ${mostOpen} questions of a thread are open at a time. Ask again after an answer.`,
    );
  }
  if (jsonBytes({ message, schema }) > questionBytes) {
    throw refuse("too_large", `A question has at most ${questionBytes} bytes. Shorten its text and its schema.`);
  }
  const read = clientSchema(schema);
  if ("problem" in read) throw refuse("invalid_request", `The schema of the question ${read.problem}.`);
  return read.check;
}

/** Writes and emits the open questions of a run that is executed. */
function recordQuestions({ live, wakeups }: SuspensionContext, runId: string, questions: PendingCall[]): void {
  const event = { type: "questions_changed", run_id: runId, tool_calls: questions } as const;
  live.emit([event], () => showQuestions(live, questions));
  wakeups.runSoon();
}

function showQuestions(live: LiveThread, questions: PendingCall[]): void {
  live.change({ pending: questions });
  // A parent thread, and lists of threads, show the questions.
  enqueueCalls(live);
  live.markForCatalog();
}

/** Removes the questions of a run that a crash interrupted. Called in a transaction that saves the thread's row. Returns the event. */
export function dropQuestions(
  live: LiveThread,
  runId: string,
): { type: "questions_changed"; run_id: string; tool_calls: [] }[] {
  if (questionsIn(live.record).length === 0) return [];
  showQuestions(live, []);
  return [{ type: "questions_changed", run_id: runId, tool_calls: [] }];
}
