// Reads the text of a checkpoint: the JSON of a state. Only `AgentState.fromJSON` validates the state.

import { isObject } from "#lib/json-value.ts";
import { ownJsonOrUndefined } from "#lib/untrusted/own-json.ts";

import { refusal } from "../../upp/upp-error.ts";
import type { AgentStateJSON } from "../state-json.ts";

/** Parses the text. Throws INVALID_REQUEST if it is not the JSON of an object. */
export function stateOfText(sessionId: string, text: string): AgentStateJSON {
  const state = ownJsonOrUndefined(text);
  if (isObject(state)) return state as unknown as AgentStateJSON;
  throw refusal(
    `The checkpoint of the session ${JSON.stringify(sessionId)} is damaged: it is not the JSON of a state. ` +
      `Restore the file from a backup, or delete the session.`,
  );
}
