// The functions that send the requests to a model. They are a property of the model's reference, so that a program contains the code of
// providers only if it imports a provider. The property is internal: the public type `ModelReference` does not have it.

import type { JsonObject } from "#contract/json.ts";
import type { ModelPort } from "#core/ports/model-port.ts";

import type { MediaBlock } from "./content-block.ts";
import type { LLMCapabilities, ModelDefinition, ModelReference } from "./model-reference.ts";
import type { TurnRequest } from "./turn-request.ts";
import { refusal } from "./upp-error.ts";
import type { AnyMessage } from "./upp-message.ts";

/** The connection of the requests to a provider. */
interface ModelPortSettings {
  env: Record<string, unknown>;
  fetch: typeof globalThis.fetch;
  /** Whether the connection of a complete answer is left open for the next request. */
  reusesConnections: boolean;
  /** Returns the key of the next request. */
  accessTo: () => Promise<{ apiKey?: string }>;
}

/** The functions for requests to models. */
export interface ModelAccess {
  /** Creates the port that sends the requests. */
  port(settings: ModelPortSettings): ModelPort;
  /** Whether the API at the model's address accepts documents, audio and video, each in at least one format. */
  inputOf(definition: ModelDefinition): Pick<LLMCapabilities, "documentInput" | "audioInput" | "videoInput">;
  /** What is wrong with an option, with its name; null if no option has a wrong value. */
  problemOfOptions(request: TurnRequest): string | null;
  /** The reason why the content of a message is not a list of blocks; null if it is. */
  problemOfForm(message: AnyMessage): string | null;
  /** The reason why the model cannot read a block; null if it can. */
  problemOfBlock(block: MediaBlock, definition: ModelDefinition, capabilities: LLMCapabilities): string | null;
  /** The environment variables that have to be set, as a part of a sentence; empty if none is missing. */
  missingVariables(definition: ModelDefinition, env: Record<string, unknown>): string;
  /** The reason why these fields cannot be in the body of a request; null if they can. */
  problemOf(params: JsonObject, definition: ModelDefinition): string | null;
}

/** A reference that a provider created. */
export interface AccessibleModel extends ModelReference {
  readonly access: ModelAccess;
  /** The reference as JSON, and as the console shows it: without `config` and `options`, which may contain keys. */
  toJSON(): { modelId: string; provider: string };
}

/** Returns the functions of a model. Throws INVALID_REQUEST for a reference that no provider created. */
export function accessTo(model: ModelReference): ModelAccess {
  const { access } = model as Partial<AccessibleModel>;
  if (access !== undefined) return access;
  throw refusal(
    `The model "${model.modelId}" was not created by a provider. Create it with one, such as anthropic("claude-sonnet-5-5").`,
  );
}
