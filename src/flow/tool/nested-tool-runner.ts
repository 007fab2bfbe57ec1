// The tool runner of prompts and agents. Their calls run a nested loop or a child thread.

import type { JsonObject } from "#contract/json.ts";
import { runnerDefaults, type NestedRunner, type ToolRunner } from "#core/ports/tool-port.ts";
import { checkArguments } from "#core/tools/check-arguments.ts";
import { argumentsJsonSchema } from "#lib/json-schema.ts";
import { unreachable } from "#lib/unreachable.ts";
import { callSchema } from "#spec/call-schema.ts";
import type { AnyPromptDefinition } from "#spec/index.ts";

/** Creates a runner whose calls are executed by `nested`. */
export function nestedToolRunner(
  { name, description, prompt }: { name: string; description: string; prompt: AnyPromptDefinition },
  nested: NestedRunner,
): ToolRunner {
  const schema = callSchema(prompt);
  return {
    ...runnerDefaults,
    spec: { name, description, parameters: argumentsJsonSchema(schema) as JsonObject },
    idempotent: true,
    nested,
    check: (args) => checkArguments(schema, args),
    run: () => unreachable("A nested call is not run as a function."),
  };
}
