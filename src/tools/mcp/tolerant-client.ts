// The client of the SDK, which accepts odd fields of the response to `initialize`. The SDK refuses the whole response because of a field that
// no call needs, such as `"resources": null`, and then the server has no tools.

import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import type { AnySchema, SchemaOutput } from "@modelcontextprotocol/sdk/server/zod-compat.js";
import type { RequestOptions } from "@modelcontextprotocol/sdk/shared/protocol.js";
import type { ClientRequest } from "@modelcontextprotocol/sdk/types.js";
import { z } from "zod";

import { fieldsOf, isObject } from "#lib/json-value.ts";
import type { Fields } from "#lib/json-value.ts";

import { textIn } from "./read-items.ts";

/** The fields of the response that are used. The SDK checks the version of the protocol itself. */
const initialized = z.looseObject({}).transform(({ protocolVersion, capabilities, serverInfo }: Fields) => ({
  protocolVersion,
  capabilities: capabilitiesOf(fieldsOf(capabilities)),
  serverInfo: {
    name: textIn(fieldsOf(serverInfo), "name") ?? "",
    version: textIn(fieldsOf(serverInfo), "version") ?? "",
  },
}));

/** The capabilities as objects. Some servers send true for a capability without options, and null or false for an absent one. */
function capabilitiesOf(given: Fields): Fields {
  return Object.fromEntries(
    Object.entries(given).flatMap(([name, value]) =>
      isObject(value) ? [[name, value]] : value === true ? [[name, {}]] : [],
    ),
  );
}

/** A client whose sessions open also with odd fields in the response of the server. */
export class TolerantClient extends Client {
  override request<T extends AnySchema>(
    request: ClientRequest,
    schema: T,
    options?: RequestOptions,
  ): Promise<SchemaOutput<T>> {
    return super.request(request, request.method === "initialize" ? (initialized as unknown as T) : schema, options);
  }
}
