// Puts an execution together: what the loop is given in process, where a thread would give its storage.

import { mainLine } from "#core/line.ts";
import type { EventSink } from "#core/ports/event-sink.ts";
import { noFaults } from "#core/ports/faults.ts";
import type { LimitPort } from "#core/ports/limit-port.ts";
import type { RunPorts } from "#core/ports/run-ports.ts";
import type { MessageRecord, RunRecord } from "#core/record.ts";
import { noResultBounds } from "#core/tools/settle.ts";
import { ConversationStrategy } from "#flow/conversation-strategy.ts";
import { HookRunner } from "#flow/hook-runner.ts";
import { mainSpeaker, StepBuilder } from "#flow/step-builder.ts";
import { systemClock } from "#lib/system-clock.ts";
import { createModelPort } from "#models/model-port.ts";

import type { Conversation, OpenRun } from "./conversation.ts";
import { noChildren, noThread, sessionAgent, sessionDefinitions } from "./definitions.ts";
import { SessionJournal } from "./session-journal.ts";
import { environmentOf } from "./session-options.ts";
import type { ReadOptions } from "./session-options.ts";

/** A run with these messages, about to be driven. */
export function openRun(run: RunRecord, messages: readonly MessageRecord[]): OpenRun {
  const journal = new SessionJournal(messages);
  const strategy = new ConversationStrategy({
    agent: () => Promise.resolve(sessionAgent),
    first: "a",
    blanks: null,
    recorded: null,
    forced: null,
  });
  return { run, journal, strategy };
}

/** What the loop is given. */
export function runPorts(
  conversation: Conversation,
  { run, journal, strategy }: OpenRun,
  { options, sink, limits }: { options: ReadOptions; sink: EventSink; limits: LimitPort },
): RunPorts {
  const { systemPrompt, tools, ids } = conversation;
  const { model, models, temperature, maxTokens, reasoning } = options;
  const manner = {
    ...(temperature === undefined ? {} : { temperature }),
    ...(maxTokens === undefined ? {} : { maxTokens }),
    ...(reasoning === undefined ? {} : { reasoning }),
  };
  const definitions = sessionDefinitions({ systemPrompt, model, models, tools, manner });
  const clock = systemClock;
  const hooks = new HookRunner({ hooks: [], state: () => noThread, clock, report: () => {} });
  const steps = new StepBuilder(
    {
      definitions,
      hooks,
      state: noThread,
      clock,
      faults: noFaults,
      children: noChildren,
      own: () => journal.messages,
    },
    mainSpeaker(
      { definitions },
      { agent: () => Promise.resolve(sessionAgent), side: () => "a", earlier: () => [...conversation.earlier] },
    ),
  );
  const fetch: typeof globalThis.fetch = options.fetch ?? ((input, init) => globalThis.fetch(input, init));
  return {
    run,
    line: mainLine,
    journal,
    sink,
    models: createModelPort({ env: environmentOf(options), fetch }),
    steps,
    strategy,
    hooks,
    limits,
    clock,
    ids: { ordered: () => ids.next(), random: () => Math.random() },
    faults: noFaults,
    stopAsked: () => false,
    resultBounds: noResultBounds,
  };
}
