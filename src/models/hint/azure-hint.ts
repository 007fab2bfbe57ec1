// What to do about a refusal of Azure or of its token endpoint, whose own text names neither the variables nor the definition of a project.

import type { ModelFailure } from "#core/ports/model-port.ts";

import type { CallTarget } from "../provider/provider-profile.ts";
import { addressSource, isOfAddress } from "./general-hint.ts";

const [tenant, client, secret] = ["AZURE_TENANT_ID", "AZURE_CLIENT_ID", "AZURE_CLIENT_SECRET"];

/** The sentences by the text of the refusal. The first match counts. */
const hints: readonly (readonly [text: RegExp, hint: string])[] = [
  [/AADSTS7000(?:215|222)/, `Set a new value of ${secret}: the value of a client secret, not its id.`],
  [/AADSTS700016/, `Check ${client}, and that its application belongs to the tenant of ${tenant}.`],
  [/AADSTS9000(?:2|23)\b/, `Check ${tenant}.`],
  [
    /lacks the required data action|principal does not have access/i,
    'Give the application or the user of the token the role "Cognitive Services OpenAI User" at the resource.',
  ],
  [/invalid subscription key/i, "The key has to be one of the resource at this address."],
  [
    /api[- ]version/i,
    "The version is api-version in the query of AZURE_BASE_URL or baseUrl; an address without it has version 1 of the API.",
  ],
  [
    /virtual network|firewall|public access is disabled|private endpoint/i,
    "The network settings of the resource refuse this network; change them in the portal of Azure.",
  ],
];

/** The sentence about a token that a variable has. A token that is created has been replaced before the failure. */
const expired =
  "An access token of Entra ID expires after about an hour. " +
  `Set a new one, or set ${tenant}, ${client} and ${secret}, from which tokens are created.`;

/** The sentences to add to a refusal; null if Azure's text suffices. */
export function azureHint(failure: ModelFailure, target: CallTarget): string | null {
  const { message } = failure;
  const { model, to } = target;
  if (to.tokens === undefined && /access token is missing, invalid|token (?:is|has) expired/i.test(message))
    return expired;
  const found = hints.find(([text]) => text.test(message))?.[1];
  const address = addressSource(target);
  if (found !== undefined) return /AADSTS/.test(message) || address === null ? found : `${found} ${address}`;
  if (failure.status !== 404 && !isOfAddress(failure) && !/deployment|unknown[ _]model/i.test(message)) return null;
  const deployment = `The deployment is "${model.model}", the model of the definition "${model.name}".`;
  return address === null ? deployment : `${deployment} ${address}`;
}
