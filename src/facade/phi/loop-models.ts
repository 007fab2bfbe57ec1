// What a loop requests its answers from: the port of a provider, and the definition of its model.

import type { ModelPort } from "#core/ports/model-port.ts";
import type { AnyModelDefinition } from "#spec/index.ts";

/** The models of one loop. */
export interface LoopModels {
  port: ModelPort;
  model: AnyModelDefinition;
  /** The id of the provider, such as `anthropic` (REQ-186). Answers have it. */
  provider_id: string;
}
