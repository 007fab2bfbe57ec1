// Stores the instruction of a step: a user message that the strategy sends and keeps, as a silent message with the strategy's name. If a
// crash or a suspension interrupts the step after that, the resumed step does not store the message again.

import type { RunPorts } from "../ports/run-ports.ts";
import type { StepShape } from "../ports/strategy-port.ts";
import { stepMessage, strategyMark } from "../record/message-draft.ts";
import { isAnswer, isInScope } from "../record/scope.ts";
import { RowEvents } from "./row-events.ts";
import { appendAnswer } from "./step-rows.ts";

/** Stores the instruction, unless it is stored already. */
export async function storeInstruction(text: string, { phase }: StepShape, ports: RunPorts): Promise<void> {
  const { run, scope, strategy, ids, clock } = ports;
  if (isStored(ports)) return;
  const { depth, parent_id } = scope;
  const parts = [{ type: "text" as const, text }];
  const draft = { id: ids.ordered(), role: "user" as const, parts, at: clock.now(), silent: true };
  const message = { ...stepMessage(ports, { step: null, side: null, depth }, draft), ...strategyMark(strategy, phase) };
  await ports.faults.at("instruction.before-create");
  const { position, ...created } = await ports.hooks.beforeCreateMessage(message);
  const under = parent_id === null ? {} : { parent_id };
  const events = new RowEvents(ports.sink, { run_id: run.id, depth, ...under, silent: true });
  events.stage({ type: "message_start", message_id: created.id, role: "user", position });
  await ports.faults.at("instruction.append");
  await appendAnswer({ ...created, position }, { ports, events });
}

/** Whether the loop has an instruction after its last answer. */
function isStored({ journal, scope }: RunPorts): boolean {
  const own = journal.messages.filter((message) => isInScope(scope, message));
  return own.slice(own.findLastIndex(isAnswer) + 1).some(({ strategy }) => strategy !== undefined);
}
