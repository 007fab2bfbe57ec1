// The operations of an API with an OpenAPI document as tools of a loop (phi-core, OpenApiAdapter; REQ-152 to REQ-157).

import type { OpenApiDefinition } from "#spec/index.ts";
import { openApiTools } from "#tools/openapi/program-api.ts";

import { convertTool } from "../convert-tool.ts";
import { LoopError } from "../loop-error.ts";
import type { AgentTool } from "../loop-tool.ts";
import { OpenApiAuth, openApiCredential } from "./open-api-auth.ts";

/** How an API is called (phi-core, OpenApiConfig). */
export interface OpenApiConfig {
  /** The address of the API. Default: the first server of the document. */
  base_url?: string;
  /** The credentials of every request. Default: none. */
  auth?: OpenApiAuth;
  /** Headers of every request. */
  custom_headers?: Readonly<Record<string, string>>;
  /** The maximum number of bytes of a response that a model reads. Default 65,536. */
  max_response_bytes?: number;
  /** The time limit of a request in seconds. Default 30. */
  timeout_secs?: number;
  /** The beginning of the tools' names, before `__`. Default: a tool has the id of its operation as its name. */
  name_prefix?: string;
  /** Hosts in private networks that the addresses may have, such as `localhost:8080`. These may use http, and are not looked up. */
  allowed_hosts?: readonly string[];
}

/** Which operations become tools (phi-core, OperationFilter). */
export type OperationFilter =
  | "All"
  | { ByOperationId: readonly string[] }
  | { ByTag: readonly string[] }
  | { ByPathPrefix: string };

/** Reads OpenAPI documents, and returns a tool for each operation that has an id and matches the filter. Other operations are logged. */
export const OpenApiAdapter = {
  /** Reads the text of a document in JSON or YAML. */
  fromStr: (spec: string, config: OpenApiConfig = {}, filter: OperationFilter = "All"): Promise<AgentTool[]> =>
    apiTools(spec, config, filter),
  /** Reads the document at an address. The credentials are sent to the API alone, and not to the document's address. */
  fromUrl: (url: string | URL, config: OpenApiConfig = {}, filter: OperationFilter = "All"): Promise<AgentTool[]> =>
    apiTools({ url: String(url) }, config, filter),
};

async function apiTools(
  document: OpenApiDefinition["document"],
  config: OpenApiConfig,
  filter: OperationFilter,
): Promise<AgentTool[]> {
  checkApiConfig(config);
  const { base_url, auth, custom_headers, max_response_bytes, timeout_secs, name_prefix, allowed_hosts } = config;
  const credential = auth === undefined ? null : openApiCredential(auth);
  const tools = await openApiTools({
    name: name_prefix ?? hostOf(base_url ?? document) ?? "openapi",
    document,
    prefix: name_prefix ?? "",
    ...filterFields(filter),
    ...(base_url === undefined ? {} : { baseUrl: base_url }),
    ...(credential === null ? {} : { auth: credential }),
    ...(custom_headers === undefined ? {} : { headers: custom_headers }),
    ...(max_response_bytes === undefined ? {} : { maxResponseBytes: max_response_bytes }),
    ...(timeout_secs === undefined ? {} : { timeoutMs: timeout_secs * 1000 }),
    ...(allowed_hosts === undefined ? {} : { allowedHosts: allowed_hosts }),
  });
  return tools.map(convertTool);
}

/** The host of an address, for errors and the log. */
function hostOf(given: OpenApiDefinition["document"]): string | undefined {
  const text = typeof given === "object" && typeof given["url"] === "string" ? given["url"] : given;
  return typeof text === "string" && /^https?:/.test(text) ? URL.parse(text)?.host : undefined;
}

type FilterFields = Pick<OpenApiDefinition, "operations" | "tags" | "pathPrefix">;

function filterFields(filter: OperationFilter): FilterFields {
  if (filter === "All") return {};
  const [[kind, value] = [], ...more] = Object.entries(filter ?? {});
  const isList = Array.isArray(value) && value.every((each) => typeof each === "string");
  if (more.length === 0) {
    if (kind === "ByOperationId" && isList) return { operations: value };
    if (kind === "ByTag" && isList) return { tags: value };
    if (kind === "ByPathPrefix" && typeof value === "string") return { pathPrefix: value };
  }
  throw new LoopError(
    `The filter ${JSON.stringify(filter)} is unknown. Use "All", { ByOperationId: [...] }, { ByTag: [...] } or { ByPathPrefix: "/..." }.`,
  );
}

const checks: Record<keyof OpenApiConfig, readonly [(value: unknown) => boolean, string]> = {
  base_url: [(value) => typeof value === "string", "an address"],
  auth: [
    (value) => value instanceof OpenApiAuth,
    "made by a function of OpenApiAuth, such as OpenApiAuth.bearer(token)",
  ],
  custom_headers: [(value) => typeof value === "object" && value !== null, "an object of texts"],
  max_response_bytes: [isPositive, "a number above 0"],
  timeout_secs: [isPositive, "a number above 0"],
  name_prefix: [(value) => typeof value === "string" && /^[\w-]{1,40}$/.test(value), "1 to 40 letters, digits, _ or -"],
  allowed_hosts: [(value) => Array.isArray(value), "a list of hosts"],
};

function isPositive(value: unknown): boolean {
  return typeof value === "number" && value > 0;
}

/** Throws a LoopError that names a wrong field. It contains no value, because a value may be a secret. */
function checkApiConfig(config: OpenApiConfig): void {
  for (const [name, value] of Object.entries(config)) {
    const check = Object.hasOwn(checks, name) ? checks[name as keyof OpenApiConfig] : undefined;
    if (check === undefined)
      throw new LoopError(
        `The OpenApiConfig has the unknown field \`${name}\`. Its fields are: ${Object.keys(checks).join(", ")}.`,
      );
    if (value !== undefined && !check[0](value))
      throw new LoopError(`The field \`${name}\` of the OpenApiConfig has to be ${check[1]}.`);
  }
}
