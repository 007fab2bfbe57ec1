// The request as a server on the loopback received it, and the warnings that the port logged.

import { inject } from "vitest";

import type { ModelPart, ModelRequest } from "#core/ports/model-port.ts";
import type { AnyModelDefinition } from "#spec/index.ts";

import { collect, model, request, serverPort, type Provider } from "./ask-model.ts";
import type { Sent } from "./sent-request.ts";

/** A request as the server received it, and the parts of the answer. */
export interface OverHttp {
  body: Sent;
  headers: Record<string, string>;
  parts: ModelPart[];
  /** The warnings of the model layer in the log. */
  warnings: string;
}

/** Makes a call over real HTTP. The model may have any name: the server refuses one that it does not know. */
export async function overHttp(
  provider: Provider,
  more: Partial<ModelRequest> = {},
  definition: Partial<AnyModelDefinition> = {},
): Promise<OverHttp> {
  const id = crypto.randomUUID();
  const headers = { ...definition.headers, "x-server-id": id };
  const requested = request(model(provider, "some-model", { ...definition, headers }), more);
  const parts = await collect(serverPort().stream(requested, new AbortController().signal));
  const emitted = await fetch(`${inject("modelServer")}/__requests?id=${id}`);
  const [only, ...others] = await emitted.json<Pick<OverHttp, "body" | "headers">[]>();
  if (only === undefined || others.length > 0) throw new Error(`not one request: ${JSON.stringify(parts)}`);
  const warnings = parts.flatMap((part) =>
    part.type === "raw" && part.chunk.includes('"warnings"') ? part.chunk : [],
  );
  return { body: only.body, headers: only.headers, parts, warnings: warnings.join("\n") };
}
