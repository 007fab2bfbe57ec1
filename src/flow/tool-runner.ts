// A project's tool as the loop runs it: arguments checked by its zod schema, its promise or stream read piece by piece.

import type { JsonObject } from "#contract/json.ts";
import type { Clock } from "#core/ports/clock.ts";
import type { Faults } from "#core/ports/faults.ts";
import type { ToolAnswer, ToolRunner } from "#core/ports/tool-port.ts";
import { checkArguments } from "#core/tools/check-arguments.ts";
import { defaultRemoteTimeoutMs, remoteCall } from "#core/tools/remote-call.ts";
import { defaultTimeoutMs, toolOutput } from "#core/tools/tool-output.ts";
import { argumentsJsonSchema } from "#lib/json-schema.ts";
import { readTool } from "#spec/index.ts";
import type { AnyToolDefinition, ThreadState, ToolParts } from "#spec/index.ts";

/** What a tool runs in. */
export interface ToolSurroundings {
  /** What the tool's function is given. */
  state: ThreadState;
  faults: Faults;
  clock: Clock;
}

/** Makes a runner. */
export function toolRunner(name: string, definition: AnyToolDefinition, around: ToolSurroundings): ToolRunner {
  const tool = readTool(definition);
  const { options } = tool;
  return {
    ...(tool.run === undefined ? { nested: remoteCall(name, options.deadlineMs, around.clock) } : {}),
    ...approvalOf(tool, around),
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
    check: (args) => checkArguments(tool.schema, args),
    run: (args, call) => toolOutput((output) => tool.run?.(around.state, args, output), call, around.faults),
    reconcile: reconcilerOf(tool, around),
  };
}

function approvalOf({ run, options }: ToolParts, { state, faults }: ToolSurroundings): Pick<ToolRunner, "approval"> {
  const { needsApproval = false } = options;
  if (run === undefined || needsApproval === false) return {};
  return {
    approval: {
      needed: async (args) => {
        if (needsApproval === true) return true;
        await faults.at("consent.rule");
        // Anything but a plain no asks.
        return (await needsApproval(args, state)) !== false;
      },
      editable: options.editableArguments ?? false,
      deadlineMs: options.deadlineMs ?? defaultRemoteTimeoutMs,
      timeoutMs: options.timeoutMs ?? defaultTimeoutMs,
    },
  };
}

function reconcilerOf({ options }: ToolParts, { state, faults }: ToolSurroundings): ToolRunner["reconcile"] {
  const { reconcile } = options;
  if (reconcile === undefined) return null;
  return async (callId, args) => {
    await faults.at("reconcile.ask");
    const known = await reconcile(callId, args, state);
    return known === "not_done" ? null : (known as ToolAnswer);
  };
}
