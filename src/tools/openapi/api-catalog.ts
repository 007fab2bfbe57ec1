// The operations of a definition, read from its document. The document of a project is read once in an isolate. That of an address is kept
// for some minutes, and longer if its text stays the same. The values in memory contain no promises, so the objects of an isolate can share
// them.

import type { ToolsContext } from "#core/ports/tool-source-port.ts";
import { sha256Hex } from "#lib/sha256.ts";
import type { AnyOpenApiDefinition, OpenApiAddress, OpenApiContext } from "#spec/index.ts";

import { mostUnits, readDocument } from "./api-document.ts";
import { ApiError } from "./api-error.ts";
import { planOf } from "./operation-plan.ts";
import type { OperationPlan } from "./operation-plan.ts";
import { operationsOf } from "./operation.ts";
import type { Operation } from "./operation.ts";
import type { LoadedDocument } from "./server-address.ts";

/** The dependencies of the operations of an API. */
export type ApiContext = Omit<ToolsContext, "readSchema">;

/** The number of plans that a catalog keeps. */
const mostPlans = 200;

/** The operations of a definition, and how to call them. */
export class ApiCatalog {
  readonly document: LoadedDocument;
  readonly operations: readonly Operation[];
  readonly #cookies: boolean;
  readonly #plans = new Map<string, OperationPlan>();

  constructor(document: LoadedDocument, operations: readonly Operation[], cookies: boolean) {
    this.document = document;
    this.operations = operations;
    this.#cookies = cookies;
  }

  /** The plan of an operation, which is made when it is first needed. */
  plan(operation: Operation): OperationPlan {
    const known = this.#plans.get(operation.name);
    const plan = known ?? planOf(this.document.value, operation, { cookies: this.#cookies });
    if (known === undefined && this.#plans.size >= mostPlans) {
      for (const oldest of [...this.#plans.keys()].slice(0, 1)) this.#plans.delete(oldest);
    }
    this.#plans.set(operation.name, plan);
    return plan;
  }
}

/** The catalogs of definitions whose document is part of the project. */
const ownCatalogs = new WeakMap<AnyOpenApiDefinition, ApiCatalog>();

/** Microseconds for which a document from an address is used. */
const lifetime = 5 * 60 * 1_000_000;

/** The maximum number of documents from addresses in memory, and of the UTF-16 units of their texts. */
const mostKept = 20;
const mostKeptUnits = 16 * 1024 * 1024;

interface KeptCatalog {
  catalog: ApiCatalog;
  /** The digest of the document's text. */
  digest: string;
  units: number;
  until: number;
}

/** The catalogs of definitions whose document has an address. */
const keptCatalogs = new Map<string, KeptCatalog>();

/** The catalog of a definition. Its document is requested if it has an address and is not in memory. */
export async function catalogOf(
  definition: AnyOpenApiDefinition,
  context: ApiContext,
  own: OpenApiContext,
): Promise<ApiCatalog> {
  const { document } = definition;
  if (isAddress(document)) return addressCatalog(definition, { address: document, context, own });
  const known = ownCatalogs.get(definition);
  if (known !== undefined) return known;
  const catalog = await ownCatalog(definition, document, context);
  ownCatalogs.set(definition, catalog);
  return catalog;
}

/** The catalog of a definition, which is not kept in memory. */
export async function newCatalog(
  definition: AnyOpenApiDefinition,
  context: ApiContext,
  own: OpenApiContext,
): Promise<ApiCatalog> {
  const { document } = definition;
  if (!isAddress(document)) return ownCatalog(definition, document, context);
  const { url, headers } = requestOf(document, own);
  const text = await documentText(definition, { url, headers, context });
  return readCatalog(definition, { value: await readDocument(text, "address"), url }, context);
}

async function ownCatalog(
  definition: AnyOpenApiDefinition,
  document: string | object,
  context: ApiContext,
): Promise<ApiCatalog> {
  return readCatalog(definition, { value: await readDocument(document, "project"), url: null }, context);
}

/** The request for a document. */
function requestOf(address: OpenApiAddress, own: OpenApiContext) {
  const url = URL.parse(typeof address.url === "function" ? address.url(own) : address.url);
  if (url === null) throw new ApiError("has no valid address of its document. Check document.url.");
  return { url, headers: (typeof address.headers === "function" ? address.headers(own) : address.headers) ?? {} };
}

function isAddress(document: AnyOpenApiDefinition["document"]): document is OpenApiAddress {
  return typeof document !== "string" && !("openapi" in document) && "url" in document;
}

async function readCatalog(
  definition: AnyOpenApiDefinition,
  document: LoadedDocument,
  { log }: ApiContext,
): Promise<ApiCatalog> {
  const { operations, omitted } = await operationsOf(document.value, definition);
  const { name, operations: wanted = [], cookies = false } = definition;
  if (omitted.length > 0) {
    log("warning", "openapi_operations_omitted", {
      api: name,
      count: omitted.length,
      operations: omitted.slice(0, 20),
    });
  }
  const unknown = wanted.filter((id) => !operations.some((operation) => operation.id === id));
  if (unknown.length > 0) log("warning", "openapi_operations_unknown", { api: name, operations: unknown.slice(0, 20) });
  return new ApiCatalog(document, operations, cookies);
}

async function addressCatalog(
  definition: AnyOpenApiDefinition,
  { address, context, own }: { address: OpenApiAddress; context: ApiContext; own: OpenApiContext },
): Promise<ApiCatalog> {
  const { url, headers } = requestOf(address, own);
  const key = await sha256Hex(JSON.stringify([context.hash, definition.name, url.href, headers]));
  const kept = keptCatalogs.get(key);
  const now = context.clock.now();
  if (kept !== undefined && kept.until > now && context.isFresh !== true) return kept.catalog;
  const text = await documentText(definition, { url, headers, context });
  const digest = await sha256Hex(text);
  const catalog =
    kept?.digest === digest
      ? kept.catalog
      : await readCatalog(definition, { value: await readDocument(text, "address"), url }, context);
  keep(key, { catalog, digest, units: text.length, until: context.clock.now() + lifetime });
  return catalog;
}

async function documentText(
  { timeoutMs = defaultTimeoutMs, allowedHosts = [] }: AnyOpenApiDefinition,
  { url, headers, context }: { url: URL; headers: Readonly<Record<string, string>>; context: ApiContext },
): Promise<string> {
  const response = await context.fetch(url, {
    headers: { accept: "application/json, application/yaml, text/yaml, */*", ...headers },
    allowedHosts,
    ...(context.signal === undefined ? {} : { signal: context.signal }),
    limits: { bytes: mostUnits, headersMs: timeoutMs, idleMs: timeoutMs, totalMs: timeoutMs },
  });
  if (!response.ok) {
    await response.body?.cancel();
    throw new ApiError(`has no document at its address (HTTP ${response.status}). Check document.url and its headers.`);
  }
  return response.text();
}

/** Milliseconds that a request may take if the definition sets no time. */
export const defaultTimeoutMs = 30_000;

/** Keeps a catalog. The oldest ones are dropped if there are too many. */
function keep(key: string, kept: KeptCatalog): void {
  keptCatalogs.delete(key);
  keptCatalogs.set(key, kept);
  let units = [...keptCatalogs.values()].reduce((sum, each) => sum + each.units, 0);
  for (const [oldest, each] of keptCatalogs) {
    if (keptCatalogs.size <= mostKept && units <= mostKeptUnits) return;
    keptCatalogs.delete(oldest);
    units -= each.units;
  }
}
