// How a reference to a model sends its requests. The functions are a member of the reference, so that a program contains the code of
// providers only if it imports a provider. Their types are internal: `ModelReference` does not name them.

import type { JsonObject } from "#contract/json.ts";
import type { ModelPort } from "#core/ports/model-port.ts";

import type { ModelDefinition, ModelReference } from "./model-reference.ts";
import { refusal } from "./upp-error.ts";

/** What requests to a provider are sent with. */
interface ModelPortSettings {
  env: Record<string, unknown>;
  fetch: typeof globalThis.fetch;
  /** Returns the key of the next request. */
  accessTo: () => Promise<{ apiKey?: string }>;
}

/** The files that a provider's API accepts in addition to images and texts. */
export interface AcceptedFiles {
  types: RegExp;
  /** Files of these types may also be sent by their address. */
  byUrl: boolean;
}

/** The requests to models. */
export interface ModelAccess {
  /** Creates the port that sends the requests. */
  port(settings: ModelPortSettings): ModelPort;
  /** The accepted files at the model's address; null for a provider that answers in this process. */
  filesOf(definition: ModelDefinition): AcceptedFiles | null;
  /** The environment variable that has to be set; null if none is missing. */
  missingVariable(definition: ModelDefinition, env: Record<string, unknown>): string | null;
  /** Why a request cannot have these fields in its body; null if it can. */
  problemOf(params: JsonObject, definition: ModelDefinition): string | null;
}

/** A reference as `createProvider` makes it. */
export interface AccessibleModel extends ModelReference {
  readonly access: ModelAccess;
}

/** The requests to a model. Throws INVALID_REQUEST for a reference that no provider made. */
export function accessTo(model: ModelReference): ModelAccess {
  const { access } = model as Partial<AccessibleModel>;
  if (access !== undefined) return access;
  throw refusal(
    `The model "${model.modelId}" is no reference that a provider made, such as anthropic("claude-sonnet-4-5").`,
  );
}
