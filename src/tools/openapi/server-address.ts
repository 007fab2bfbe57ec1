// The address of an API: that of the definition, or a server of the document. A document from an address is untrusted, so it does not decide
// which host receives the definition's credentials.

import { isJsonObject, type Json, type JsonObject } from "#contract/json.ts";
import type { SourceFacts } from "#core/ports/tool-source-port.ts";
import type { AnyOpenApiDefinition, OpenApiContext } from "#spec/index.ts";

import { outsideText } from "../outside-text.ts";
import { listOf, textOf } from "./api-document.ts";
import { ApiError } from "./api-error.ts";
import type { Operation } from "./operation.ts";

/** The maximum length of the title and the version of a document. */
const versionLimit = 100;

/** A document, with the address that it was read from. */
export interface LoadedDocument {
  value: JsonObject;
  /** Null for a document of the project. */
  url: URL | null;
}

/** The address that the operation's path is added to, and whether its host may receive the definition's credentials. */
export function serverAddress(
  definition: AnyOpenApiDefinition,
  { value, url }: LoadedDocument,
  { operation, context }: { operation: Pick<Operation, "source" | "pathItem">; context: OpenApiContext },
): { address: URL; isTrusted: boolean } {
  const { baseUrl } = definition;
  if (baseUrl !== undefined) {
    const address = httpAddress(typeof baseUrl === "function" ? baseUrl(context) : baseUrl, null);
    if (address === null)
      throw new ApiError("has no valid baseUrl. Set an address with https, and the credentials in auth.");
    return { address, isTrusted: true };
  }
  // The servers of the operation replace those of its path, which replace those of the document.
  const lists = [operation.source["servers"], operation.pathItem["servers"], value["servers"]];
  const server = lists.map((list) => listOf(list)[0]).find((first) => isJsonObject(first));
  const address = httpAddress(serverText(server ?? { url: "/" }, definition.serverVariables ?? {}), url);
  if (address === null) {
    throw new ApiError("has a document without the address of a server. Set baseUrl in the definition.");
  }
  return { address, isTrusted: url === null || address.origin === url.origin || isListed(address, definition) };
}

/** The host of the API, and the title and the version of its document. The host is null if the document states no usable address. */
export function apiFacts(
  definition: AnyOpenApiDefinition,
  document: LoadedDocument,
  context: OpenApiContext,
): SourceFacts {
  const info = isJsonObject(document.value["info"]) ? document.value["info"] : {};
  const version = outsideText([textOf(info["title"]), textOf(info["version"])].filter(Boolean).join(" "), versionLimit);
  return { host: hostOf(definition, document, context), version: version === "" ? null : version };
}

function hostOf(definition: AnyOpenApiDefinition, document: LoadedDocument, context: OpenApiContext): string | null {
  try {
    return serverAddress(definition, document, { operation: { source: {}, pathItem: {} }, context }).address.host;
  } catch (thrown) {
    if (thrown instanceof ApiError) return null;
    throw thrown;
  }
}

function isListed({ host, hostname }: URL, { credentialHosts = [] }: AnyOpenApiDefinition): boolean {
  return credentialHosts.some((listed) => listed.toLowerCase() === host || listed.toLowerCase() === hostname);
}

function serverText(server: JsonObject, given: Readonly<Record<string, string>>): string {
  const variables = isJsonObject(server["variables"]) ? server["variables"] : {};
  return (textOf(server["url"]) ?? "").replaceAll(/\{([^{}]+)\}/g, (_, name: string) => {
    const variable: Json | undefined = Object.hasOwn(variables, name) ? variables[name] : undefined;
    const value = Object.hasOwn(given, name) ? given[name] : undefined;
    const known = value ?? (isJsonObject(variable) ? textOf(variable["default"]) : undefined);
    if (known === undefined) throw new ApiError(`has a server with the variable "${name}". Set it in serverVariables.`);
    return known;
  });
}

/**
 * The parsed address; null if its scheme is neither http nor https, or if it contains a user name or a password. A relative address is
 * resolved against the address of the document; null if the document has none.
 */
function httpAddress(text: string, base: URL | null): URL | null {
  const address = base === null ? URL.parse(text) : URL.parse(text, base.href);
  if (address === null || !/^https?:$/.test(address.protocol) || `${address.username}${address.password}` !== "")
    return null;
  address.search = "";
  address.hash = "";
  return address;
}
