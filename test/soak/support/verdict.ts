// The final checks: each thread's transcript against its messages, the texts that the model sent completely, and the
// effects on the external server.

import type { Message } from "#contract/thread-message.ts";

import { transcript } from "../../support/http-client/transcript.ts";
import type { Line } from "../../support/http-client/transcript.ts";
import type { Actor, Turn } from "./actor.ts";
import { receiptOf } from "./effect-desk.ts";
import { helperMark } from "./script.ts";
import type { Soak } from "./soak.ts";
import { doomCuts } from "./stop-points.ts";

/** The result that a model gets for a call whose outcome is unknown. */
const unknown = /interrupted.*unknown/i;
/** The result may also state this if a stop or the end of a run interrupted the call. */
const cutOff = /interrupted|stopped/i;

/** The result for a child thread that took too long. */
const tooLate = /did not answer in time/;

/** Compares a thread's messages with those that were posted: user, answer, user, answer. */
export function judgeTranscript(soak: Soak, actor: Actor, messages: readonly Message[]): void {
  const { findings } = soak;
  const lines = transcript(messages);
  for (const message of messages) {
    if (message.status !== "complete") findings.add("SURV2", `${actor.name} holds a message that is ${message.status}`);
  }
  if (lines[0] !== undefined && lines[0].role !== "user")
    findings.add("SURV2", `${actor.name} begins with ${lines[0].role}`);
  const said = chapters(lines);
  const marks = said.map(([first]) => first?.content).join("|");
  const expected = actor.turns.map(({ content }) => content).join("|");
  if (marks !== expected) findings.add("SURV2", `${actor.name} holds [${marks}] where [${expected}] was said`);
  for (const [index, turn] of actor.turns.entries()) {
    if (actor.role === "regular" && turn.ended !== "completed" && !isGivenUp(turn)) {
      findings.add("SURV2", `${turn.mark} ended as ${String(turn.ended)} after ${String(turn.kills)} kills`);
    }
    for (const problem of problemsOf(soak, turn, said[index]?.slice(1) ?? [])) {
      findings.add("SURV2", `${turn.mark} (${String(turn.ended)}): ${problem}`);
    }
  }
}

/** Whether a run was given up because it was interrupted again and again without progress. */
export function isGivenUp({ ended, kills }: Turn): boolean {
  return ended === "error" && kills >= doomCuts;
}

/** Each message of the user with the messages that follow it. */
function chapters(lines: readonly Line[]): Line[][] {
  const found: Line[][] = [];
  for (const line of lines) {
    if (line.role === "user") found.push([line]);
    else found.at(-1)?.push(line);
  }
  return found;
}

function* problemsOf(soak: Soak, turn: Turn, lines: readonly Line[]): Generator<string> {
  const whole = turn.ended === "completed";
  if (turn.ended === null) yield "its run never ended";
  let at = 0;
  for (const [index, step] of turn.script.steps.entries()) {
    const answer = lines[at];
    if (answer === undefined) {
      if (whole) yield `it has no answer at step ${String(index)}`;
      return;
    }
    at += 1;
    if (answer.role !== "assistant") yield `a ${answer.role} stands where an answer belongs`;
    const isCompleted = soak.models.completed(turn.mark, index).includes(answer.content ?? "");
    if (!isCompleted && whole) yield `"${String(answer.content)}" is no answer that the model sent completely`;
    const tools = "tools" in step && (whole || answer.calls.length > 0) ? step.tools : [];
    if (answer.calls.map(({ name }) => name).join() !== tools.join())
      yield `it made other calls at step ${String(index)}`;
    for (const [call, tool] of tools.entries()) {
      yield* resultProblems(soak, turn, { tool, call: `${String(index)}.${String(call)}`, line: lines[at] });
      at += 1;
    }
  }
  if (at < lines.length) yield `${String(lines.length - at)} messages too many follow it`;
}

function* resultProblems(
  { effects, models, isOld }: Soak,
  turn: Turn,
  { tool, call, line }: { tool: string; call: string; line: Line | undefined },
): Generator<string> {
  const { mark } = turn;
  const what = `${tool} of call ${call}`;
  const done = effects.effects.filter((effect) => effect.mark === mark && effect.call === call);
  const said = line?.content ?? "";
  if (line?.role !== "tool" || line.answers !== tool) yield `${what} has no result`;
  if (tool === "helper") {
    const isCompleted = models.completed(helperMark(mark, call), 0).includes(said) || (isOld && tooLate.test(said));
    if (!isCompleted && (turn.ended === "completed" || !cutOff.test(said))) yield `${what} says "${said}"`;
    return;
  }
  const isReceipt = said === receiptOf({ tool, mark, call });
  if (isReceipt && done.length === 0) yield `${what} has a receipt for nothing`;
  if (isReceipt) return;
  if (turn.ended !== "completed") {
    if (!cutOff.test(said)) yield `${what} says "${said}"`;
    return;
  }
  if (tool !== "pay") yield `${what} took effect ${String(done.length)} times and says "${said}"`;
  else if (!unknown.test(said)) yield `${what} was cut and says "${said}"`;
}
