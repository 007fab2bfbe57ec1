// Checks that an API can be used, for a person who develops the project: its document can be read, and its address answers.

import type { ToolsContext } from "#core/ports/tool-source-port.ts";
import type { AnyOpenApiDefinition } from "#spec/index.ts";

import { catalogOf, defaultTimeoutMs } from "./api-catalog.ts";
import { apiError } from "./api-error.ts";
import { serverAddress } from "./server-address.ts";

/** The state of an API after one request. */
export interface ApiState {
  /** The number of operations that the definition offers. */
  operations: number;
  /** The address of the API, without a query. */
  address: string;
  /** The status of the response to a request for the address. Each status shows that the API can be reached. */
  status: number;
}

/** Reads the document and requests the address of the API, without credentials. Rejects with an error that names the definition. */
export async function checkApi(definition: AnyOpenApiDefinition, context: ToolsContext): Promise<ApiState> {
  const { env, userId, threadId, signal = null } = context;
  const own = { env, userId, threadId };
  try {
    const { document, operations } = await catalogOf(definition, context, own);
    const operation = operations[0] ?? { source: {}, pathItem: {} };
    const { address } = serverAddress(definition, document, { operation, context: own });
    const { timeoutMs = defaultTimeoutMs, allowedHosts = [] } = definition;
    const response = await context.fetch(address, {
      redirect: "manual",
      signal,
      allowedHosts,
      limits: { bytes: Infinity, headersMs: timeoutMs, totalMs: timeoutMs },
    });
    // Only the status is of interest.
    await response.body?.cancel().catch(() => undefined);
    return { operations: operations.length, address: address.href, status: response.status };
  } catch (thrown) {
    throw apiError(definition.name, thrown);
  }
}
