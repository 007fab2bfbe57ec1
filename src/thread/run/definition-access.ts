// Gives the project's definitions access to the thread: hooks, `state`, and the writes that definitions may make, inside and outside of a
// run.

import { refuse } from "#contract/error.ts";
import type { JsonObject } from "#contract/json.ts";
import { toMessage } from "#core/record/view.ts";
import { HookRunner } from "#flow/hook/hook-runner.ts";
import { threadState } from "#flow/state/create-thread-state.ts";
import type { ThreadAccess } from "#flow/state/thread-access.ts";
import type { ThreadState, WorkerEnv } from "#spec/index.ts";

import { appendMessages } from "../live/append-messages.ts";
import type { DeployedThread } from "../live/live-thread.ts";
import type { DefinitionPlace, ThreadCalls } from "../thread-ports.ts";
import type { SkillContext } from "./thread-tool-sources.ts";

/**
 * The deepest nesting of definitions' writes and calls. Without this bound, a hook that adds a message for each message would never end: it
 * awaits nothing, so neither a time limit nor a stop could interrupt it.
 */
const deepestWrite = 5;

/** The parts of a thread to which definitions have access. */
export interface DefinitionContext extends SkillContext {
  calls: ThreadCalls;
}

/** Hooks with their `state`: a hook receives the state of the run in which it is called. */
export interface DefinitionAccess {
  state: ThreadState;
  hooks: HookRunner;
  access: ThreadAccess;
}

/** Builds the access. `place` is the environment of the definition's code; it is absent for code outside of a run. */
export function definitionAccess(
  context: DefinitionContext,
  place: DefinitionPlace = { execution: null, context: { current: {} }, depth: 0 },
): DefinitionAccess {
  const { definitions } = context;
  const { clock } = context.deployment;
  const access = threadAccess(context, place);
  let inner: DefinitionAccess | undefined;
  const hooks: HookRunner = new HookRunner({
    hooks: context.deployment.registry.hooks,
    clock,
    redact: context.deployment.settings.redact,
    state: () => (inner ??= definitionAccess(context, deeper(place))).state,
    report: (problem) => reportHook(context, { ...problem }),
  });
  const state: ThreadState = threadState({
    access,
    definitions,
    hooks: () => hooks,
    execution: place.execution,
    context: place.context,
  });
  return { state, hooks, access };
}

function deeper(place: DefinitionPlace): DefinitionPlace {
  return { ...place, depth: place.depth + 1 };
}

function threadAccess(context: DefinitionContext, place: DefinitionPlace): ThreadAccess {
  const { live } = context;
  const { clock } = context.deployment;
  return {
    clock,
    ids: { ordered: () => live.uuids.next(), random: () => Math.random() },
    store: live.store,
    files: context.files,
    outbound: context.deployment.outbound,
    env: context.deployment.connection.env as WorkerEnv,
    thread: () => live.record,
    checkDepth() {
      if (place.depth > deepestWrite) throw refuse("conflict", tooDeep);
    },
    append: (message) => void appendMessages(live, [message]),
    replace: (message) => {
      live.emit([{ type: "message_updated", message_id: message.id, message: toMessage(message) }], ([event]) => {
        // Replay would send the same message with the previous event too, so that event is deleted.
        if (message.updated_seq !== undefined) live.store.deleteEvent(message.updated_seq);
        const stored = event === undefined ? message : { ...message, updated_seq: event.seq };
        live.updateMessage(stored);
        live.markIdleChange();
      });
    },
    emit: (name, data) => {
      const run = live.record.active_run_id;
      live.emit([{ type: "custom", ...(run === null ? {} : { run_id: run }), name, data }]);
    },
    queueTool: (name, args) => context.calls.queue(name, args),
    invokeTool: (name, args) => context.calls.invoke(name, args, deeper(place)),
  };
}

const tooDeep = `Hooks and tools called each other more than ${deepestWrite} deep. A hook is called for its own writes too.`;

/** Writes a problem of a hook or a filter to the log. */
export function reportHook({ live, deployment: { clock } }: DeployedThread, data: Record<string, unknown>): void {
  const defined = Object.entries(data).filter(([, value]) => value !== undefined);
  live.store.insertLog({
    id: live.uuids.next(),
    type: "hook",
    run_id: live.record.active_run_id,
    parent_id: null,
    depth: 0,
    created_at: clock.now(),
    data: Object.fromEntries(defined) as JsonObject,
    events: [],
  });
}
