// The operations of an API with an OpenAPI document as tools of programs: one tool for each operation.

import { UnusableSchema } from "#core/schema/resolve-schema.ts";
import { consoleLog, createLog } from "#lib/log-port.ts";
import { systemClock } from "#lib/system-clock.ts";
import type { AnyOpenApiDefinition } from "#spec/index.ts";

import { argumentProblem, definedProgramTool } from "../defined-program-tool.ts";
import { programRequests } from "../program-requests.ts";
import type { ProgramTool } from "../program-tool.ts";
import { newCatalog } from "./api-catalog.ts";
import type { ApiContext } from "./api-catalog.ts";
import { ApiError, apiError } from "./api-error.ts";
import { ApiTools } from "./api-tools.ts";
import { serverAddress } from "./server-address.ts";

/**
 * An API for programs: a definition as in `agents/openapi/`, without approvals. `env` of its functions has the variables of the process. With the
 * empty text as its `prefix`, a tool has the id of its operation as its name.
 */
export type ProgramApi = Omit<AnyOpenApiDefinition, "needsApproval">;

/** Options of `openApiTools`. */
export interface ProgramApiOptions {
  /** Receives a line about operations that are left out, such as those without an id. Default: the console. */
  log?: (line: string) => void;
}

/**
 * Reads the document of an API, and returns a tool for each operation that the definition offers, for `llm()` and `agent()`. Rejects if the
 * document cannot be read, or if there is no address of the API.
 */
export async function openApiTools(api: ProgramApi, { log }: ProgramApiOptions = {}): Promise<ProgramTool[]> {
  const { name } = api;
  if ("needsApproval" in api) {
    throw new ApiError(
      `The API "${name}" has needsApproval, which only threads have. Check calls in a hook of the program.`,
    );
  }
  const context: ApiContext = {
    fetch: programRequests(),
    clock: systemClock,
    env: (globalThis as { process?: { env?: Record<string, unknown> } }).process?.env ?? {},
    log: log === undefined ? consoleLog : createLog(log),
    files: noFiles,
    threadId: "",
    userId: null,
    hash: "",
    checkArguments: argumentProblem,
  };
  try {
    const catalog = await newCatalog(api, context, context);
    const operation = catalog.operations[0] ?? { source: {}, pathItem: {} };
    serverAddress(api, catalog.document, { operation, context });
    const tools = new ApiTools(api, context, { catalog: () => Promise.resolve(catalog), most: Infinity });
    return (await tools.tools()).flatMap((tool) => {
      try {
        return [definedProgramTool(tool)];
      } catch (thrown) {
        if (!(thrown instanceof UnusableSchema)) throw thrown;
        context.log("warning", "openapi_operations_omitted", {
          api: name,
          operations: [`${tool.name}: ${thrown.message}`],
        });
        return [];
      }
    });
  } catch (thrown) {
    throw apiError(name, thrown);
  }
}

/** A program has no files of a thread, so an operation whose body is a file cannot be called. */
const noFiles: ApiContext["files"] = { read: () => Promise.resolve(null), stat: () => Promise.resolve(null) };
