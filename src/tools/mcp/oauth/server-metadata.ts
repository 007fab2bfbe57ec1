// Finds the authorization server of an MCP server: metadata of the protected resource (RFC 9728), and of the authorization server (RFC
// 8414). All of this data is from other servers. An address is used only if it would be allowed in a definition, and an issuer only if its
// own metadata names it.

import {
  checkResourceAllowed,
  discoverAuthorizationServerMetadata,
  discoverOAuthProtectedResourceMetadata,
  extractWWWAuthenticateParams,
  resourceUrlFromServerUrl,
} from "@modelcontextprotocol/client";
import type {
  AuthorizationServerMetadata,
  FetchLike,
  OAuthProtectedResourceMetadata,
} from "@modelcontextprotocol/client";
import { z } from "zod";

import { ThreadholdError } from "#contract/error.ts";
import { readHostList } from "#lib/outbound/host-list.ts";
import { readTarget } from "#lib/outbound/target.ts";

import { McpServerError } from "../server-error.ts";
import { dropBody } from "./oauth-fetch.ts";
import { isSameIssuer } from "./oauth-options.ts";

/** The authorization server of an MCP server, with checked addresses. */
export interface AuthorizationServer {
  issuer: string;
  authorizationEndpoint: string;
  tokenEndpoint: string;
  registrationEndpoint: string | null;
  revocationEndpoint: string | null;
  /** The methods by which a client authenticates at the token endpoint. Empty: unknown. */
  clientMethods: string[];
  /** Whether the server sends the parameter `iss` to the callback (RFC 9207). */
  sendsIssuer: boolean;
  /** The resource for which tokens are requested (RFC 8707); null if the server describes none. */
  resource: string | null;
  /** The scopes that the server requires; null if it names none. */
  scope: string | null;
}

/** The server, and its requests. */
export interface DiscoveryParts {
  name: string;
  url: URL;
  /** The headers of the definition. */
  headers: Record<string, string>;
  fetchFn: FetchLike;
  env: Readonly<Record<string, unknown>>;
  allowedHosts: readonly string[];
  /** The only issuer that the definition accepts. */
  issuer: string | undefined;
}

/** Finds the authorization server. Sends at most a handful of requests. */
export async function discoverServer(parts: DiscoveryParts): Promise<AuthorizationServer> {
  const { name, url, issuer: expected } = parts;
  const challenge = await challengeOf(parts);
  const resource = await resourceMetadata(parts, challenge.resourceMetadataUrl);
  const described = resource?.authorization_servers ?? [];
  const issuer =
    expected === undefined
      ? (described[0] ?? new URL("/", url).href)
      : described.length === 0
        ? expected
        : described.find((each) => isSameIssuer(each, expected));
  if (issuer === undefined) {
    throw new McpServerError(
      `The MCP server "${name}" names another authorization server than the definition's \`oauth.issuer\`.`,
    );
  }
  const isDescribed = described.length > 0 || expected !== undefined;
  const metadata = await serverMetadata(parts, { issuer, isDescribed });
  const further = furtherSchema.parse(metadata);
  const checked = (address: string) => checkedAddress(parts, address);
  const optional = (address: string | undefined) => (address === undefined ? null : checked(address));
  const scopes = resource?.scopes_supported ?? [];
  return {
    issuer,
    authorizationEndpoint: checked(metadata.authorization_endpoint),
    tokenEndpoint: checked(metadata.token_endpoint),
    registrationEndpoint: optional(metadata.registration_endpoint),
    revocationEndpoint: optional(further.revocation_endpoint),
    clientMethods: metadata.token_endpoint_auth_methods_supported ?? [],
    sendsIssuer: further.authorization_response_iss_parameter_supported === true,
    resource: resource === null ? null : resource.resource,
    scope: challenge.scope ?? (scopes.length > 0 ? scopes.join(" ") : null),
  };
}

/** The fields that the types of the SDK lack. */
const furtherSchema = z.object({
  revocation_endpoint: z.string().optional(),
  authorization_response_iss_parameter_supported: z.boolean().optional(),
});

/** The request that a client sends first. Without a token, the server refuses it and names its metadata. */
const firstMessage = {
  jsonrpc: "2.0",
  id: 0,
  method: "initialize",
  params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "threadhold", version: "1" } },
};

async function challengeOf({ url, headers, fetchFn }: DiscoveryParts) {
  const sent = new Headers(headers);
  // A server that accepts the header of the definition would name no metadata. The requests of runs have a token in its place.
  sent.delete("authorization");
  sent.set("content-type", "application/json");
  sent.set("accept", "application/json, text/event-stream");
  const response = await fetchFn(url, {
    method: "POST",
    headers: sent,
    body: JSON.stringify(firstMessage),
  });
  await dropBody(response);
  return response.status === 401 ? extractWWWAuthenticateParams(response) : {};
}

/** The metadata of the protected resource. Null if the server has none, as before the revision 2025-06-18 of the protocol. */
async function resourceMetadata(
  { name, url, fetchFn }: DiscoveryParts,
  address: URL | undefined,
): Promise<OAuthProtectedResourceMetadata | null> {
  let metadata: OAuthProtectedResourceMetadata;
  try {
    const options = address === undefined ? {} : { resourceMetadataUrl: address };
    metadata = await discoverOAuthProtectedResourceMetadata(url, options, fetchFn);
  } catch (thrown) {
    // A refused address or an invalid document does not count as a missing document.
    if (address !== undefined || thrown instanceof ThreadholdError || isMalformed(thrown)) throw thrown;
    return null;
  }
  const isOwn =
    URL.canParse(metadata.resource) &&
    checkResourceAllowed({
      requestedResource: resourceUrlFromServerUrl(url),
      configuredResource: metadata.resource,
    });
  if (isOwn) return metadata;
  throw new McpServerError(`The metadata of the MCP server "${name}" describes another resource than its address.`);
}

function isMalformed(thrown: unknown): boolean {
  return thrown instanceof z.core.$ZodError || thrown instanceof SyntaxError;
}

/** The metadata of the authorization server. A server of the revision 2025-03-26 without metadata has fixed paths. */
async function serverMetadata(
  { name, fetchFn }: DiscoveryParts,
  { issuer, isDescribed }: { issuer: string; isDescribed: boolean },
): Promise<AuthorizationServerMetadata> {
  // The SDK would refuse an issuer that is written with another slash at its end. The issuer is compared below.
  const metadata = await discoverAuthorizationServerMetadata(issuer, { fetchFn, skipIssuerValidation: true });
  if (metadata === undefined) {
    if (isDescribed) throw new McpServerError(`The authorization server of the MCP server "${name}" has no metadata.`);
    return {
      issuer,
      authorization_endpoint: new URL("/authorize", issuer).href,
      token_endpoint: new URL("/token", issuer).href,
      registration_endpoint: new URL("/register", issuer).href,
      response_types_supported: ["code"],
    };
  }
  if (!isSameIssuer(metadata.issuer, issuer)) {
    throw new McpServerError(
      `The metadata of the authorization server of the MCP server "${name}" has another issuer.`,
    );
  }
  if (metadata.code_challenge_methods_supported?.includes("S256") !== true) {
    throw new McpServerError(
      `The authorization server of the MCP server "${name}" does not support PKCE with S256, which OAuth 2.1 requires.`,
    );
  }
  return metadata;
}

/** Returns the address if it is allowed: it has to be https and public, or its host has to be listed. Throws for any other address. */
function checkedAddress({ name, env, allowedHosts }: DiscoveryParts, address: string): string {
  const listed = [allowedHosts.join(","), env["ALLOWED_OUTBOUND_HOSTS"]].flatMap((list) =>
    typeof list === "string" ? (readHostList(list) ?? []) : [],
  );
  const answer = readTarget(address, listed);
  if (answer.ok) return answer.target.url.href;
  throw new McpServerError(
    `The authorization server of the MCP server "${name}" has an address that is not allowed: it has to be https and public, ` +
      "or its host has to be in `allowedHosts`.",
  );
}
