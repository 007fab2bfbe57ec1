// What to do about a refusal of Vertex AI or of Google's token endpoint, whose own text names neither the variables nor the definition of a project.

import type { ModelFailure } from "#core/ports/model-port.ts";

import type { CallTarget } from "../provider/provider-profile.ts";
import { addressSource, isOfAddress } from "./general-hint.ts";

const account = "GOOGLE_CLIENT_EMAIL and GOOGLE_PRIVATE_KEY, or GOOGLE_APPLICATION_CREDENTIALS_JSON";
const project = "GOOGLE_VERTEX_PROJECT";

/** The sentences by the text of the refusal. The first match counts. */
const hints: readonly (readonly [text: RegExp, hint: string])[] = [
  [
    /short-lived token|reasonable timeframe/i,
    "The clock of this machine differs from that of Google by some minutes; set it.",
  ],
  [
    /invalid jwt signature|account not found|not a valid email/i,
    `Check that the private key is a current one of the service account: ${account}.`,
  ],
  [
    /api keys are not supported/i,
    `GOOGLE_VERTEX_API_KEY has to be a key of Vertex AI in express mode, without a project. For a project set ${account}.`,
  ],
  [
    /has not been used in project|service_disabled/i,
    `Enable the API aiplatform.googleapis.com in the project, or check ${project}.`,
  ],
  [
    /permission '?aiplatform\.|permission denied on resource|consumer_invalid|user_project_denied|permission to use project/i,
    `Give the account the role "Vertex AI User" (roles/aiplatform.user) in the project, and check ${project}.`,
  ],
];

/** The sentence about a token that a variable has. A token that is created has been replaced before the failure. */
const expired =
  "An access token of Google expires after an hour. Set a new value of GOOGLE_VERTEX_ACCESS_TOKEN, or set " +
  `${account}, from which tokens are created.`;

/** The sentences to add to a refusal; null if Google's text suffices. */
export function vertexHint(failure: ModelFailure, target: CallTarget): string | null {
  const { message, status } = failure;
  const { model, to } = target;
  if (to.tokens === undefined && /invalid authentication credentials|expected oauth 2 access token/i.test(message))
    return expired;
  const found = hints.find(([text]) => text.test(message))?.[1];
  if (found !== undefined) return found;
  if (status !== 404 && !isOfAddress(failure) && !/\blocations?\b|\bregion\b/i.test(message)) return null;
  const named = `The model is "${model.model}" of the definition "${model.name}".`;
  const address = addressSource(target);
  return address === null ? named : `${named} ${address}`;
}
