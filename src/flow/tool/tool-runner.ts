// The runner of a project's tool: checks the arguments by the tool's zod schema and reads the output of the tool's function piece by piece.

import type { JsonObject } from "#contract/json.ts";
import type { Clock } from "#core/ports/clock.ts";
import type { Faults } from "#core/ports/faults.ts";
import { toolHost } from "#core/ports/tool-host.ts";
import type { HostConnection, ToolHost } from "#core/ports/tool-host.ts";
import type { CallContext, ToolRunner } from "#core/ports/tool-port.ts";
import type { ToolAnswer } from "#core/record/awaited.ts";
import { checkArguments } from "#core/tools/check-arguments.ts";
import { defaultRemoteTimeoutMs, remoteCall } from "#core/tools/remote-call.ts";
import { returnedResult } from "#core/tools/returned-value.ts";
import { defaultTimeoutMs, toolOutput } from "#core/tools/tool-output.ts";
import { argumentsJsonSchema } from "#lib/json-schema.ts";
import { redactedError } from "#lib/redacted-texts.ts";
import { readTool } from "#spec/index.ts";
import type { AnyToolDefinition, ThreadState, ToolCall, ToolParts } from "#spec/index.ts";

/** The dependencies of a tool's calls. */
export interface ToolDependencies {
  /** The state that the tool's function receives. */
  state: ThreadState;
  faults: Faults;
  clock: Clock;
  /** Removes secrets from the error that a tool's function throws, before a model reads it. Default: the error stays as it is. */
  redact?: ((text: string) => string) | undefined;
  /** The connection for models that the tool's function runs by itself. Absent outside of a run. */
  connection?: HostConnection | undefined;
  /** Called before a tool's function is called. The function that it returns is called when the tool's function has ended. */
  onCall?: ((name: string, callId: string) => () => void) | undefined;
}

/** Creates the runner of the calls to one tool of the project. */
export function toolRunner(name: string, definition: AnyToolDefinition, dependencies: ToolDependencies): ToolRunner {
  const tool = readTool(definition);
  const { options } = tool;
  return {
    ...(tool.run === undefined ? { nested: remoteCall(name, options.deadlineMs, dependencies.clock) } : {}),
    ...approvalOf(tool, dependencies),
    spec: {
      name,
      description: tool.description,
      parameters: argumentsJsonSchema(tool.schema) as JsonObject,
    },
    remote: tool.run === undefined,
    sequential: options.sequential ?? false,
    dependsOn: options.dependsOn ?? [],
    timeoutMs: options.timeoutMs ?? defaultTimeoutMs,
    idempotent: options.idempotent ?? false,
    repeatable: options.repeatable ?? false,
    check: (args) => checkArguments(tool.schema, args),
    run: (args, call) => {
      let onEnd: (() => void) | undefined;
      const work = (output: ToolCall): unknown => {
        onEnd = dependencies.onCall?.(name, call.id);
        return tool.run?.(stateOf(call, dependencies), args, output);
      };
      const { faults, redact } = dependencies;
      return toolOutput(work, call, { faults, redact, onEnd: () => onEnd?.(), toResult: returnedResult });
    },
    reconcile: createReconciler(tool, dependencies),
  };
}

/** The state with the host of the call, for models and agents that the function runs with `{ in: state }`. */
function stateOf({ executions }: CallContext, { state, connection }: ToolDependencies): ThreadState {
  if (connection === undefined || executions === undefined) return state;
  const host: ToolHost = { ...connection, executions };
  const copy = Object.defineProperties({}, Object.getOwnPropertyDescriptors(state)) as ThreadState;
  return Object.defineProperty(copy, toolHost, { value: host });
}

function approvalOf(
  { run, options }: ToolParts,
  { state, faults, redact }: ToolDependencies,
): Pick<ToolRunner, "approval"> {
  const { needsApproval = false } = options;
  if (run === undefined || needsApproval === false) return {};
  return {
    approval: {
      needed: async (args) => {
        if (needsApproval === true) return true;
        // Only a result of `false` skips the approval.
        try {
          await faults.at("consent.rule");
          return (await needsApproval(args, state)) !== false;
        } catch (thrown) {
          throw redact === undefined ? thrown : redactedError(thrown, redact);
        }
      },
      editable: options.editableArguments ?? false,
      deadlineMs: options.deadlineMs ?? defaultRemoteTimeoutMs,
      timeoutMs: options.timeoutMs ?? defaultTimeoutMs,
    },
  };
}

function createReconciler({ options }: ToolParts, { state, faults }: ToolDependencies): ToolRunner["reconcile"] {
  const { reconcile } = options;
  if (reconcile === undefined) return null;
  return async (callId, args) => {
    await faults.at("reconcile.ask");
    const known = await reconcile(callId, args, state);
    return known === "not_done" ? null : (known as ToolAnswer);
  };
}
