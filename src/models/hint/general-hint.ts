// What to change after a failure of any provider that the provider's text leaves out: the protocol of a model, and what sets the address. It is
// loaded with the first failure that needs it. The hints of single providers are in their profiles (`explain`).

import type { ModelFailure } from "#core/ports/model-port.ts";

import { accountVariable } from "../gateway.ts";
import { addressVariables, placeVariables } from "../provider-settings.ts";
import type { CallTarget } from "../provider/provider-profile.ts";
import { providerOf } from "../provider/providers.ts";

/** What sets the address of a request, as a sentence; null if it is the provider's own. */
export function addressSource({ model, to: { env = {} } }: CallTarget): string | null {
  const isSet = (name: string): boolean => typeof env[name] === "string" && env[name].trim() !== "";
  if (model.gateway !== undefined)
    return `The address is created from gateway in the definition${isSet(accountVariable) ? ` and from ${accountVariable}` : ""}.`;
  if (model.baseUrl !== undefined) return "The address is baseUrl in the definition.";
  const whole = addressVariables(model).find(isSet);
  if (whole !== undefined) return `The address is read from ${whole}.`;
  const places = placeVariables(model).filter(isSet);
  return places.length === 0 ? null : `The address is created from ${places.join(" and ")}.`;
}

/** Whether a failure may have its cause in the address: nothing responds there, or not the API of the provider. */
export function isOfAddress({ kind, status, message, unreadable }: ModelFailure): boolean {
  // A request that the package cannot convert has no status.
  if (unreadable === true) return status !== null;
  if (kind === "network" && status === null) return /No response came from/.test(message);
  return (status === 404 || status === 405) && !/\bmodel\b/i.test(message);
}

/** The texts of refusals that name the protocol in which a model cannot be called. */
const notInChat = /only supported in v1\/responses|\bchat_?completions? operation does not work with/i;
const notInResponses =
  /not supported (?:with|by|in) the responses api|cannot be used with the responses api|\bresponses operation does not work with/i;

/** The field of a definition that chooses the other protocol of a model. */
function otherProtocol({ message }: ModelFailure, { model, to: { profile } }: CallTarget): string | null {
  if (profile.apis === undefined) return null;
  if (notInChat.test(message)) return 'Set api: "responses" in the definition.';
  if (!notInResponses.test(message)) return null;
  const named = providerOf(model);
  const hasChat = named !== undefined && "apis" in named && named.apis?.includes("chat") === true;
  return `Set ${hasChat ? "" : 'provider: "openai" and '}api: "chat" in the definition.`;
}

/** The sentence to add to a failure; null if its own text suffices. */
export function generalHint(failure: ModelFailure, target: CallTarget): string | null {
  return otherProtocol(failure, target) ?? (isOfAddress(failure) ? addressSource(target) : null);
}
