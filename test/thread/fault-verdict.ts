// Compares a disturbed conversation with the undisturbed one.

import type { Message } from "#contract/thread-message.ts";
import { unknownOutcome } from "#core/tools/error-results.ts";

import type { Outcome } from "./fault-stage.ts";

/** The tool whose calls cannot be reconciled: its outcome may be unknown, and it takes effect at most once. */
const plain = "post";

/** Every difference from the undisturbed conversation, as sentences. */
export function wrong(calm: Outcome, disturbed: Outcome): string[] {
  return [
    ...wrongMessages(calm, disturbed),
    ...wrongEffects(calm, disturbed),
    ...(ends(calm) === ends(disturbed) ? [] : [`the runs ended ${ends(disturbed)}, not ${ends(calm)}`]),
    ...disturbed.problems,
  ];
}

const ends = ({ runs }: Outcome) =>
  runs
    .map(({ status, error, data, outcome }) => `${status} ${error?.code ?? ""} ${JSON.stringify([data, outcome])}`)
    .join();

function wrongMessages(calm: Outcome, disturbed: Outcome): string[] {
  const unknown = unknownOutcome.error ?? "";
  const count = Math.max(calm.messages.length, disturbed.messages.length);
  return Array.from({ length: count }, (_, at) => {
    const [wanted, got] = [line(calm, at), line(disturbed, at)];
    const { name, content } = disturbed.messages[at] ?? {};
    // The line contains everything but the outcome.
    const emitted = name === plain && content === unknown && line(calm, at, "?") === line(disturbed, at, "?");
    return wanted === got || emitted ? [] : [`message ${at} is ${got}, not ${wanted}`];
  }).flat();
}

/** A message without the fields that differ from thread to thread. */
function line({ id, messages }: Outcome, at: number, outcome?: string): string {
  const message: Message | undefined = messages[at];
  if (message === undefined) return "nothing";
  const { depth, role, name, status, content, tool_calls, result, parent_id } = message;
  const under = messages.findIndex((one) => one.id === parent_id);
  const calls = tool_calls?.replaceAll(/"id":"[^"]*"/g, "") ?? "";
  const said = outcome ?? `${result?.status} ${content}`;
  return `${depth} under ${under}: ${role} ${name} ${status} ${said} ${calls}`.replaceAll(id, "THREAD");
}

function wrongEffects(calm: Outcome, disturbed: Outcome): string[] {
  const names = new Set([...Object.keys(calm.effects), ...Object.keys(disturbed.effects)]);
  return [...names].flatMap((name) => {
    const [wanted, got] = [calm, disturbed].map(({ effects }) => effects[name]?.effects ?? 0);
    const fits = got === wanted || (name.startsWith(plain) && got === 0);
    return fits ? [] : [`${name} took effect ${got} times`];
  });
}
