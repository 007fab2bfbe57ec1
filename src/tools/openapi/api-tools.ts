// The tools of one API in one run: one for each operation that the definition offers. If they are too many for a prompt, there are two tools
// instead: one that finds operations, and one that calls them.

import { isJsonObject, type JsonObject } from "#contract/json.ts";
import type { DefinedTool, DefinedTools, SourceFacts, ToolsContext } from "#core/ports/tool-source-port.ts";
import type { ToolAnswer } from "#core/record/awaited.ts";
import { errorMessage } from "#lib/cut-text.ts";
import type { AnyOpenApiDefinition, OpenApiContext, OpenApiResponse, ToolCall } from "#spec/index.ts";

import { catalogOf, defaultTimeoutMs } from "./api-catalog.ts";
import type { ApiCatalog, ApiContext } from "./api-catalog.ts";
import { ApiError, apiError } from "./api-error.ts";
import { apiRequest, secretsOf } from "./api-request.ts";
import type { Additions } from "./api-request.ts";
import { apiResult } from "./api-result.ts";
import { searchText } from "./operation-search.ts";
import type { Operation } from "./operation.ts";
import { requestBody } from "./request-body.ts";
import { apiFacts, serverAddress } from "./server-address.ts";

/** The maximum number of operations that are tools of their own. */
const mostTools = 40;

const defaultResponseBytes = 64 * 1024;

/** Milliseconds of a call in addition to those of its request, so that the error of the request is the result. */
const extraMs = 5000;

/** The names that parameters for the size of a page, or for a choice of fields, usually have. */
const limitNames = /^(?:per_?page|(?:page_?)?(?:size|limit)|max_?results|(?:opt_)?fields)$/i;

/** Opens the tools of a definition of `agents/openapi/`. Sends no request. */
export function openTools(definition: unknown, context: ToolsContext): DefinedTools {
  // The registry lists the definitions of this kind, and the compiler has checked them.
  return new ApiTools(definition as AnyOpenApiDefinition, context);
}

/** The tools of an API. */
export class ApiTools implements DefinedTools {
  readonly #definition: AnyOpenApiDefinition;
  readonly #context: ApiContext;
  readonly #own: OpenApiContext;
  readonly #catalog: () => Promise<ApiCatalog>;
  readonly #mostTools: number;
  #facts: SourceFacts = { host: null, version: null };

  /** `catalog` returns the operations; default: those of the definition, which are kept in memory. With more than `most`, two tools find and call them. */
  constructor(
    definition: AnyOpenApiDefinition,
    context: ApiContext,
    { catalog, most = mostTools }: { catalog?: () => Promise<ApiCatalog>; most?: number } = {},
  ) {
    const { env, userId, threadId } = context;
    this.#definition = definition;
    this.#context = context;
    this.#own = { env, userId, threadId };
    this.#catalog = catalog ?? (() => catalogOf(definition, context, this.#own));
    this.#mostTools = most;
  }

  async tools(): Promise<readonly DefinedTool[]> {
    return this.#named(async () => {
      const catalog = await this.#catalog();
      const { operations, document } = catalog;
      this.#facts = apiFacts(this.#definition, document, this.#own);
      if (operations.length > this.#mostTools) return [this.#searchTool(catalog), this.#callTool(catalog)];
      return operations.map((operation) => this.#operationTool(catalog, operation));
    });
  }

  async tool(name: string): Promise<DefinedTool | null> {
    return this.#named(async () => {
      const catalog = await this.#catalog();
      const operation = catalog.operations.find((each) => each.name === name);
      return operation === undefined ? null : this.#operationTool(catalog, operation);
    });
  }

  facts(): SourceFacts {
    return this.#facts;
  }

  // Each request ends with its call.
  async close(): Promise<void> {}

  /** Adds the name of the definition to errors. */
  async #named<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (thrown) {
      throw apiError(this.#definition.name, thrown);
    }
  }

  get #timeoutMs(): number {
    return (this.#definition.timeoutMs ?? defaultTimeoutMs) + extraMs;
  }

  #operationTool(catalog: ApiCatalog, operation: Operation): DefinedTool {
    const approval = this.#approval(operation);
    return {
      name: operation.name,
      description: operation.description,
      parameters: catalog.plan(operation).schema,
      wholeParameters: () => catalog.plan(operation).whole(),
      idempotent: isReading(operation),
      // A person who approved a call is not asked again.
      repeatable: isReading(operation) && approval === undefined,
      timeoutMs: this.#timeoutMs,
      ...(approval === undefined ? {} : { needsApproval: approval }),
      call: (args, call) => this.#named(() => this.#call({ catalog, operation, args, call })),
    };
  }

  #searchTool(catalog: ApiCatalog): DefinedTool {
    const { name, prefix = name } = this.#definition;
    return {
      name: `${prefix}__search_operations`,
      description: `Finds operations of "${name}" by words or by an id. It has ${catalog.operations.length} operations. ${prefix}__call_operation calls one.`,
      parameters: {
        type: "object",
        properties: { query: { type: "string", description: "Words of what the operation does, or an id." } },
        required: ["query"],
      },
      idempotent: true,
      repeatable: true,
      timeoutMs: this.#timeoutMs,
      call: async ({ query }) => ({
        status: "success",
        result: searchText(catalog, typeof query === "string" ? query : ""),
      }),
    };
  }

  #callTool(catalog: ApiCatalog): DefinedTool {
    const { name, prefix = name, needsApproval = false } = this.#definition;
    const operationOf = (id: unknown): Operation | undefined =>
      catalog.operations.find((each) => each.id === id) ?? catalog.operations.find((each) => each.name === id);
    const argsOf = ({ arguments: args }: JsonObject): JsonObject => (isJsonObject(args) ? args : {});
    const approve = async (args: JsonObject): Promise<boolean> => {
      const operation = operationOf(args["operation"]);
      // A call of an unknown operation has an error as its result.
      return operation !== undefined && ((await this.#approval(operation)?.(argsOf(args))) ?? false) !== false;
    };
    return {
      name: `${prefix}__call_operation`,
      description: `Calls an operation of "${name}". ${prefix}__search_operations finds its id and its arguments.`,
      parameters: {
        type: "object",
        properties: {
          operation: { type: "string", description: "The id of the operation." },
          arguments: { type: "object", description: "The arguments of the operation." },
        },
        required: ["operation"],
      },
      idempotent: false,
      repeatable: (args) => {
        const operation = operationOf(args["operation"]);
        return operation !== undefined && isReading(operation) && this.#approval(operation) === undefined;
      },
      timeoutMs: this.#timeoutMs,
      ...(needsApproval === false ? {} : { needsApproval: approve }),
      call: (args, call) =>
        this.#named(async () => {
          const operation = operationOf(args["operation"]);
          if (operation === undefined) {
            throw new ApiError(`has no operation of this id. Find one by ${prefix}__search_operations.`);
          }
          const inner = argsOf(args);
          const plan = catalog.plan(operation);
          const problem = this.#context.checkArguments(plan.schema, inner, () => plan.whole());
          if (problem !== null) throw new ApiError(`was not called. The arguments do not match: ${problem}`);
          return this.#call({ catalog, operation, args: inner, call });
        }),
    };
  }

  #approval({ id, method, path }: Operation): DefinedTool["needsApproval"] {
    const { needsApproval: rule = false } = this.#definition;
    if (typeof rule === "function") return async (args) => rule({ operation: id, method, path, args }, this.#own);
    const isNeeded = typeof rule === "boolean" ? rule : rule.includes(id);
    return isNeeded ? () => true : undefined;
  }

  async #call({
    catalog,
    operation,
    args,
    call,
  }: {
    catalog: ApiCatalog;
    operation: Operation;
    args: JsonObject;
    call: ToolCall;
  }): Promise<ToolAnswer> {
    const { timeoutMs = defaultTimeoutMs, allowedHosts = [], maxResponseBytes, shapeResponse } = this.#definition;
    const plan = catalog.plan(operation);
    const server = serverAddress(this.#definition, catalog.document, { operation, context: this.#own });
    const additions = await this.#additions();
    if (!server.isTrusted && (additions.credentials.length > 0 || Object.keys(additions.headers).length > 0)) {
      throw new ApiError(
        `has a document that names the server ${server.address.host}, which is not the document's own. ` +
          "Set baseUrl, or add the host to credentialHosts, if it may receive the credentials.",
      );
    }
    const request = apiRequest({ operation, plan, args }, server.address, additions);
    const given = plan.body === null ? undefined : args[plan.body.key];
    const body =
      plan.body === null || given === undefined ? null : await requestBody(plan.body, given, this.#context.files);
    const response = await this.#context.fetch(request.url, {
      method: operation.method,
      headers: {
        accept: "application/json, */*;q=0.5",
        ...request.headers,
        ...(body?.contentType === undefined ? {} : { "content-type": body.contentType }),
      },
      body: body?.body ?? null,
      signal: call.signal,
      allowedHosts,
      // `apiResult` reads only the first part of a longer body.
      limits: { bytes: Infinity, headersMs: timeoutMs, idleMs: timeoutMs, totalMs: timeoutMs },
    });
    return apiResult(response, {
      method: operation.method,
      shownUrl: request.shownUrl,
      secrets: secretsOf(additions),
      maxBytes: maxResponseBytes ?? defaultResponseBytes,
      limits: plan.parameters.flatMap(({ key, name }) => (limitNames.test(name) ? [key] : [])),
      ...(shapeResponse === undefined
        ? {}
        : { shape: (status, value) => this.#shaped(shapeResponse, { operation: operation.id, status, body: value }) }),
    });
  }

  async #shaped(
    shape: NonNullable<AnyOpenApiDefinition["shapeResponse"]>,
    response: OpenApiResponse,
  ): Promise<unknown> {
    try {
      return await shape(response, this.#own);
    } catch (thrown) {
      throw new ApiError(
        `responded with the status ${response.status}, but shapeResponse failed: ${errorMessage(thrown)}`,
      );
    }
  }

  /** What the definition adds to every request. */
  async #additions(): Promise<Additions> {
    const { auth = [], headers = {} } = this.#definition;
    const given = typeof auth === "function" ? await auth(this.#own) : auth;
    return {
      credentials: "type" in given ? [given] : given,
      headers: typeof headers === "function" ? headers(this.#own) : headers,
    };
  }
}

/** Whether the method has no effects (RFC 9110, section 9.2.1). */
function isReading({ method }: Operation): boolean {
  return method === "GET" || method === "HEAD";
}
