// The tools of definitions that have many tools, such as MCP servers. Each definition is one source. Its module is loaded when a prompt lists
// a name with the definition's prefix. `close` ends the connections that the sources of a run opened.

import { refuse } from "#contract/error.ts";
import type { JsonObject } from "#contract/json.ts";
import type { Faults } from "#core/ports/faults.ts";
import type { AskQuestion } from "#core/ports/question-port.ts";
import { runnerDefaults } from "#core/ports/tool-port.ts";
import type { CallContext, ToolRunner } from "#core/ports/tool-port.ts";
import type {
  DefinedCall,
  DefinedTool,
  DefinedTools,
  DefinedToolsModule,
  ToolsContext,
} from "#core/ports/tool-source-port.ts";
import { defaultRemoteTimeoutMs } from "#core/tools/remote-call.ts";
import { toolOutput } from "#core/tools/tool-output.ts";
import { anySignal } from "#lib/any-signal.ts";
import { errorMessage } from "#lib/cut-text.ts";
import type { Registry, ToolCall, ToolSourceDefinition, ToolSourceEntry } from "#spec/index.ts";

import { checkArguments, clientSchema } from "../setup/client-schema.ts";
import type { ClientSchema } from "../setup/client-schema.ts";
import { requestCallText } from "./call-text.ts";
import type { TextModels } from "./call-text.ts";
import type { ToolSource } from "./tool-source.ts";

/** The sources of a run, one for each definition. */
export interface DefinedSources {
  readonly sources: readonly ToolSource[];
  /** Closes the connections that the run opened. Never rejects. */
  close(): Promise<void>;
}

/** The dependencies of the sources, without the functions for schemas, which this module adds. */
export type SourcesContext = Omit<ToolsContext, "readSchema" | "checkArguments" | "requestedTexts"> &
  TextModels &
  Pick<CallPorts, "ask"> & {
    /** Returns what `requestedTexts` of the port returns, for the tools with a prefix. */
    requestedTexts?: ((prefix: string) => number) | undefined;
  };

/** The functions of the thread that a call of a run can use. */
interface CallPorts {
  texts: TextModels;
  /** Absent outside of a run. */
  ask?: AskQuestion | undefined;
}

/** Creates the sources of a run. Loads no module and sends no request before a name with a definition's prefix is resolved. */
export function definedSources(
  entries: Registry["toolSources"],
  { models, model, ask, requestedTexts, ...context }: SourcesContext,
): DefinedSources {
  const { faults, ...toolsContext } = context;
  const ports: CallPorts = { texts: { models, model, clock: context.clock, faults }, ask };
  const opened: DefinedTools[] = [];
  let isClosed = false;
  const open = async (entry: ToolSourceEntry, definition: ToolSourceDefinition): Promise<DefinedTools> => {
    await faults.at("source.load");
    const [module, value] = await Promise.all([entry.load(), definition.load()]);
    // Nothing would close the connections of tools that are opened after the end of the run.
    if (isClosed) throw refuse("conflict", "The run is over.");
    const tools = (module as DefinedToolsModule).openTools(value, {
      ...toolsContext,
      readSchema,
      checkArguments: checkedArguments,
      requestedTexts: requestedTexts && (() => requestedTexts(definition.prefix)),
    });
    opened.push(tools);
    return tools;
  };
  return {
    sources: (entries ?? []).flatMap((entry) =>
      entry.definitions.map((definition) =>
        definedSource(definition, { open: () => open(entry, definition), ports, log: context.log }),
      ),
    ),
    close: async () => {
      isClosed = true;
      await Promise.all(opened.splice(0).map((tools) => tools.close()));
    },
  };
}

function definedSource(
  { name, prefix, file }: ToolSourceDefinition,
  { open, ports, log }: { open: () => Promise<DefinedTools>; ports: CallPorts; log: ToolsContext["log"] },
): ToolSource {
  const { faults } = ports.texts;
  const start = `${prefix}__`;
  const title = `"${name}" (${file})`;
  /** Names of the tools whose unusable schemas are logged already. */
  const leftOut = new Set<string>();
  let opened: DefinedTools | undefined;
  /**
   * The tools of the last list by name. Each one is used for one runner. Without this map, the list of a server would be requested for each
   * name if the list changes all the time.
   */
  let listed = new Map<string, DefinedTool>();
  let isFailureLogged = false;
  const list = async (): Promise<readonly DefinedTool[]> => {
    try {
      const tools = opened ?? (await open());
      // Another prompt of the run may have opened the tools meanwhile. Then the tools opened here are not used, and have no connection.
      opened ??= tools;
      await faults.at("source.list");
      return await opened.tools();
    } catch (thrown) {
      // Logged once, because a run requests the list in each step.
      if (!isFailureLogged) log("warning", "tool_source_failed", { cause: `${title}: ${errorMessage(thrown)}` });
      isFailureLogged = true;
      throw thrown;
    }
  };
  return {
    title,
    async names(asked = start) {
      if (!asked.startsWith(start)) return [];
      const usable = (await list()).filter((tool) => {
        const schema = schemaOf(tool);
        if (!("problem" in schema)) return true;
        if (!leftOut.has(tool.name)) log("warning", "tool_left_out", { definition: name, tool: tool.name, ...schema });
        leftOut.add(tool.name);
        return false;
      });
      listed = new Map(usable.map((tool) => [tool.name, tool]));
      return [...listed.keys()];
    },
    runner: (asked) => (asked.startsWith(start) ? runnerOf(asked) : null),
  };

  async function runnerOf(asked: string): Promise<ToolRunner> {
    const known = listed.get(asked);
    listed.delete(asked);
    if (known !== undefined) return definedRunner(known, faults, ports);
    const tools = await list();
    await faults.at("source.tool");
    const tool = tools.find((each) => each.name === asked) ?? (await opened?.tool?.(asked)) ?? null;
    if (tool === null) throw refuse("tool_not_found", `It has no tool of this name. Its tools are: ${namesOf(tools)}.`);
    return definedRunner(tool, faults, ports);
  }
}

/** Returns at most 20 names for an error text: a definition may have hundreds of tools. */
function namesOf(tools: readonly DefinedTool[]): string {
  const names = tools.slice(0, 20).map(({ name }) => name);
  return names.length === 0 ? "none" : `${names.join(", ")}${tools.length > names.length ? ", …" : ""}`;
}

/**
 * Creates the runner of a tool. Throws if the schema of its arguments cannot be used. Without `ports`, its calls cannot request texts or
 * ask questions.
 */
export function definedRunner(tool: DefinedTool, faults: Faults, ports?: CallPorts): ToolRunner {
  const schema = schemaOf(tool);
  if ("problem" in schema) throw refuse("not_available", `The schema of its arguments ${schema.problem}.`);
  const { parameters, check } = schema;
  const { name, description, idempotent, repeatable = false, timeoutMs, needsApproval } = tool;
  return {
    ...runnerDefaults,
    ...(needsApproval === undefined
      ? {}
      : {
          approval: {
            needed: async (args: JsonObject) => {
              await faults.at("source.approval");
              // Only a result of `false` skips the approval.
              return (await needsApproval(args)) !== false;
            },
            editable: false,
            deadlineMs: defaultRemoteTimeoutMs,
            timeoutMs,
          },
        }),
    spec: { name, description, parameters },
    timeoutMs,
    idempotent,
    repeatable,
    check: tool.wholeParameters === undefined ? check : wholeCheck(check, tool.wholeParameters),
    run: (args, call) => toolOutput((own) => tool.call(args, callOf(own, call, ports)), call, { faults }),
  };
}

function callOf(call: ToolCall, { executions }: CallContext, ports: CallPorts | undefined): DefinedCall {
  if (executions === undefined || ports === undefined) return call;
  const { texts, ask } = ports;
  return {
    ...call,
    requestText: (request) => requestCallText(request, executions, texts),
    ...(ask === undefined
      ? {}
      : { ask: (question, signal) => ask(call.id, question, anySignal([executions.signal, signal])) }),
  };
}

/** The schemas that were read, by schema object, so that the schemas of a list that is kept in memory are read only once. */
const schemas = new WeakMap<JsonObject, ClientSchema | { problem: string }>();

/** Reads the schema of a tool's arguments. `problem` is the reason why the schema cannot be used. */
export function schemaOf({ parameters }: Pick<DefinedTool, "parameters">): ClientSchema | { problem: string } {
  const known = schemas.get(parameters);
  if (known !== undefined) return known;
  const schema = clientSchema(parameters, { tolerant: true });
  schemas.set(parameters, schema);
  return schema;
}

/** The check by the whole schema, of which the parameters are a part, or by the parameters if that takes too much work. */
function wholeCheck(check: ClientSchema["check"], whole: () => JsonObject): ClientSchema["check"] {
  return (args) => {
    const checked = checkArguments(whole(), args);
    return !checked.ok && checked.isTooMuch === true ? check(args) : checked;
  };
}

/** Checks arguments by the whole schema, of which `parameters` are a part. Returns null or a problem. */
export function checkedArguments(parameters: JsonObject, args: JsonObject, whole: () => JsonObject): string | null {
  const schema = schemaOf({ parameters });
  if ("problem" in schema) return `The schema of its arguments ${schema.problem}.`;
  const checked = wholeCheck(schema.check, whole)(args);
  return checked.ok ? null : checked.problem;
}

/** Reads an untrusted JSON Schema. Returns its check, or `problem` if the schema cannot be used. The check returns null or a problem. */
export function readSchema(schema: JsonObject): ReturnType<ToolsContext["readSchema"]> {
  const read = clientSchema(schema, { tolerant: true });
  if ("problem" in read) return read;
  return (value) => {
    if (typeof value !== "object" || value === null || Array.isArray(value)) return "It is no object.";
    const checked = read.check(value);
    if (checked.ok) return null;
    return checked.isTooMuch === true ? `It cannot be checked. ${checked.problem}` : checked.problem;
  };
}
