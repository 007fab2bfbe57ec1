// The client of the SDK, which accepts odd fields of the response to `initialize`. The SDK refuses the whole response because of a field that
// no call needs, such as `"resources": null`, and then the server has no tools.

import { Client, DEFAULT_NEGOTIATED_PROTOCOL_VERSION, SUPPORTED_PROTOCOL_VERSIONS } from "@modelcontextprotocol/client";
import type { Request, RequestOptions, StandardSchemaV1 } from "@modelcontextprotocol/client";
import { z } from "zod";

import { fieldsOf, isEmptyList, isObject } from "#lib/json-value.ts";
import type { Fields } from "#lib/json-value.ts";

import { outsideText } from "../outside-text.ts";
import { textIn } from "./read-items.ts";
import { ProtocolMismatch } from "./server-error.ts";

/** The fields of the response that are used. */
const initialized = z.looseObject({}).transform(({ protocolVersion, capabilities, serverInfo }: Fields) => ({
  protocolVersion: versionOf(protocolVersion),
  capabilities: capabilitiesOf(fieldsOf(capabilities)),
  serverInfo: {
    name: textIn(fieldsOf(serverInfo), "name") ?? "",
    version: textIn(fieldsOf(serverInfo), "version") ?? "",
  },
}));

/** The maximum length of the text about an unknown version. */
const versionLimit = 50;

/** The version of the protocol. A server that states no text does not check the version of requests either. */
function versionOf(given: unknown): string {
  if (typeof given !== "string") return DEFAULT_NEGOTIATED_PROTOCOL_VERSION;
  if (SUPPORTED_PROTOCOL_VERSIONS.includes(given)) return given;
  const known = SUPPORTED_PROTOCOL_VERSIONS.join(", ");
  const version = JSON.stringify(outsideText(given, versionLimit));
  throw new ProtocolMismatch(`\`protocolVersion\` is ${version}, and only these versions are supported: ${known}`);
}

/**
 * The capabilities as objects. Some servers send true or an empty list for a capability without options, and null or false for an absent
 * one.
 */
function capabilitiesOf(given: Fields): Fields {
  return Object.fromEntries(
    Object.entries(given).flatMap(([name, value]) =>
      isObject(value) ? [[name, value]] : value === true || isEmptyList(value) ? [[name, {}]] : [],
    ),
  );
}

/** A client whose sessions open also with odd fields in the response of the server. */
export class TolerantClient extends Client {
  /** Sends a request. `rest`: the schema of the result, and the options. The SDK gives `initialize` no schema. */
  override async request<T>(request: Request, ...rest: [unknown?, RequestOptions?]): Promise<T> {
    const [first, options] = rest;
    const sent =
      request.method === "initialize"
        ? super.request(request, initialized, first as RequestOptions)
        : super.request(request, first as StandardSchemaV1, options);
    return (await sent) as T;
  }
}
