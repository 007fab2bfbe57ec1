// The state of a definition that has many tools, such as an MCP server, for a person who develops the project: the list of its tools is
// requested outside of a thread. A source that fails has the state "error".

import type { SourceState, ToolView } from "#contract/definition.ts";
import type { DefinedTool, DefinedTools, DefinedToolsModule, ToolsContext } from "#core/ports/tool-source-port.ts";
import { errorMessage } from "#lib/cut-text.ts";
import { TimeLimitError, waitWithin } from "#lib/time-limit.ts";
import type { ToolSourceDefinition, ToolSourceEntry } from "#spec/index.ts";

import { checkedArguments, readSchema, schemaOf } from "./defined-tools.ts";

/** Milliseconds after which the request for the list is given up, if the definition has no shorter time limit. */
const limitMs = 20_000;

/** The dependencies: those of the tools, without a thread. */
export type SourceContext = Pick<
  ToolsContext,
  "fetch" | "clock" | "env" | "log" | "userId" | "hash" | "authorizations"
>;

/** Requests the list of a definition's tools, and returns it with the state of the source. Ends within a time limit. */
export async function readSourceState(
  entry: ToolSourceEntry,
  definition: ToolSourceDefinition,
  context: SourceContext,
): Promise<SourceState> {
  const unset = new Set<string>();
  const stop = new AbortController();
  let opened: DefinedTools | undefined;
  const list = async (): Promise<readonly DefinedTool[]> => {
    const [module, value] = await Promise.all([entry.load(), definition.load()]);
    // Nothing would close the connections of tools that are opened after the time limit.
    stop.signal.throwIfAborted();
    opened = (module as DefinedToolsModule).openTools(value, {
      ...context,
      env: watchedVariables(context.env, unset),
      files: noFiles,
      threadId: "",
      isFresh: true,
      signal: stop.signal,
      readSchema,
      checkArguments: checkedArguments,
    });
    return opened.tools();
  };
  const { name, prefix, file } = definition;
  const state = (listed: Pick<SourceState, "error" | "tools" | "omitted_tools">): SourceState => {
    const { authorization = null, omitted = [], ...facts } = opened?.facts() ?? { host: null, version: null };
    return {
      authorization,
      name,
      file,
      kind: entry.kind,
      prefix,
      ...facts,
      unset_variables: [...unset].toSorted(),
      ...listed,
      omitted_tools: [...omitted, ...listed.omitted_tools],
    };
  };
  try {
    const tools = await waitWithin(list, {
      timers: context.clock,
      milliseconds: limitMs,
      onTimeout: () => {
        throw new TimeLimitError(limitMs);
      },
    });
    return state({ error: null, ...views(tools, file) });
  } catch (thrown) {
    const error =
      thrown instanceof TimeLimitError
        ? `"${name}" did not list its tools within ${limitMs / 1000} seconds. Check that its server is running.`
        : errorMessage(thrown);
    return state({ error, tools: [], omitted_tools: [] });
  } finally {
    stop.abort();
    await opened?.close();
  }
}

function views(tools: readonly DefinedTool[], file: string): Pick<SourceState, "tools" | "omitted_tools"> {
  const usable: ToolView[] = [];
  const omitted: SourceState["omitted_tools"] = [];
  for (const tool of tools) {
    const schema = schemaOf(tool);
    if ("problem" in schema)
      omitted.push({ name: tool.name, problem: `The schema of its arguments ${schema.problem}.` });
    else usable.push(viewOf(tool, file));
  }
  return { tools: usable, omitted_tools: omitted };
}

function viewOf({ name, description, parameters, needsApproval }: DefinedTool, file: string): ToolView {
  return {
    name,
    file,
    kind: "tool",
    description,
    parameters,
    remote: false,
    approval: needsApproval === undefined ? "never" : "conditional",
    result_schema: null,
  };
}

const variableName = /^[A-Z_][A-Z0-9_]*$/;

/** The variables. Adds to `unset` the names that are read and have no value. */
function watchedVariables(env: ToolsContext["env"], unset: Set<string>): ToolsContext["env"] {
  return new Proxy(env, {
    get(target, key): unknown {
      const value: unknown = Reflect.get(target, key);
      if (typeof key === "string" && variableName.test(key) && (value ?? "") === "") unset.add(key);
      return value;
    },
  });
}

/** No call is executed, so no file is read. */
const noFiles: ToolsContext["files"] = {
  read: () => Promise.reject(new Error("The list of a source's tools reads no files.")),
  stat: () => Promise.reject(new Error("The list of a source's tools reads no files.")),
};
