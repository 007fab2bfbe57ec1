// The text of a checkpoint: the JSON of a state. `AgentState.fromJSON` checks the state; here only the form of a text is checked.

import { isObject, parseJson } from "#lib/json-value.ts";

import { refusal } from "../../upp/upp-error.ts";
import type { AgentStateJSON } from "../state-json.ts";

/** Reads the text of a checkpoint. */
export function stateOfText(sessionId: string, text: string): AgentStateJSON {
  const state = parseJson(text);
  // `AgentState.fromJSON` checks the rest.
  if (isObject(state)) return state as unknown as AgentStateJSON;
  throw refusal(
    `The checkpoint of the session ${JSON.stringify(sessionId)} is damaged: it is not the JSON of a state. ` +
      `Restore the file from a backup, or delete the session.`,
  );
}
