// The thread as definitions reach it: hooks, state and the writes they may make, at rest and in a run.

import type { JsonObject } from "#contract/json.ts";
import type { LiveContext } from "#core/ports/run-ports.ts";
import { toMessage } from "#core/view.ts";
import { HookRunner } from "#flow/hook-runner.ts";
import type { ThreadAccess } from "#flow/thread-access.ts";
import { threadState } from "#flow/thread-state.ts";
import type { ExecutionState, ThreadState } from "#spec/index.ts";

import type { ObjectContext } from "../object-context.ts";

/** Hooks and state that belong together: a hook is given the state of the run it is called in. */
export interface DefinitionAccess {
  state: ThreadState;
  hooks: HookRunner;
  access: ThreadAccess;
}

/** Makes them; `execution` is null at rest. */
export function definitionAccess(
  context: ObjectContext,
  run: { execution: ExecutionState; context: LiveContext } | null,
): DefinitionAccess {
  const { clock, definitions } = context;
  const access = threadAccess(context);
  const hooks: HookRunner = new HookRunner({
    hooks: context.hooks,
    clock,
    state: () => state,
    report: (problem) => reportHook(context, { ...problem }),
  });
  const state: ThreadState = threadState({
    access,
    definitions,
    hooks: () => hooks,
    execution: run?.execution ?? null,
    context: run?.context ?? { current: {} },
  });
  return { state, hooks, access };
}

function threadAccess(context: ObjectContext): ThreadAccess {
  const { live, clock } = context;
  return {
    clock,
    ids: { ordered: () => live.uuids.next(), random: () => Math.random() },
    store: live.store,
    files: context.files,
    thread: () => live.record,
    append: (message) => void live.append([message]),
    replace: (message) => {
      live.tell([{ type: "message_updated", message_id: message.id, message: toMessage(message) }], () => {
        live.store.updateMessage(message);
        live.changed(message);
        live.changedAtRest();
      });
    },
    emit: (name, data) => live.emit(name, data),
    queueTool: (name, args) => context.calls.queue(name, args),
    invokeTool: (name, args, state) => context.calls.invoke(name, args, state.execution === null ? null : state),
  };
}

function reportHook({ live, clock }: ObjectContext, data: Record<string, unknown>): void {
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
