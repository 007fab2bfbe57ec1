// What to do about a refusal of AWS, whose own text names neither the variables nor the definition of a project.

import { regionOf } from "./aws-region.ts";

/** The request that was refused. */
export interface RefusedByAws {
  message: string;
  /** The name of the model's definition, and the model at Bedrock. */
  name: string;
  model: string;
  host: string | null;
  /** The variables that signed the request. Absent: it had a bearer token. */
  credentials?: Readonly<Record<string, string>> | undefined;
}

/** The ids of inference profiles begin with a geographic prefix, such as `eu.`. */
function profileOf(model: string, region: string | null): string {
  const world = region === null ? "us" : (/^(?:us-gov|us|eu|ap)(?=-)/.exec(region)?.[0] ?? "global");
  return `${world === "ap" ? "apac" : world}.${model}`;
}

/** The sentence to add to a refusal; null if AWS's text suffices. */
export function failureHint({ message, name, model, host, credentials = {} }: RefusedByAws): string | null {
  const region = regionOf({ host: host ?? "", model, credentials });
  const place = region === null ? "this region" : `the region ${region}`;
  const hints: readonly (readonly [RegExp, string])[] = [
    [
      /token\b[^.]{0,60}\bexpired/i,
      Object.keys(credentials).length === 0
        ? "Set a new value of AWS_BEARER_TOKEN_BEDROCK."
        : "Set new values of AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN.",
    ],
    [
      /signature (?:expired|not yet current)/i,
      "The clock of this machine differs from that of AWS by more than five minutes; set it.",
    ],
    [
      /signature we calculated/i,
      "Check AWS_SECRET_ACCESS_KEY, and that AWS_SESSION_TOKEN belongs to the same credentials.",
    ],
    [
      /make sure your api key is valid/i,
      `Set a new value of AWS_BEARER_TOKEN_BEDROCK. A short-term key is valid in its own region alone, and the request went to ${place}: check AWS_REGION.`,
    ],
    [
      /scoped to a valid region/i,
      `The address has ${place}, and the signature another one: set AWS_REGION to the region of the address.`,
    ],
    [/security token\b[^.]{0,60}\binvalid/i, "Check AWS_ACCESS_KEY_ID and AWS_SESSION_TOKEN."],
    [
      /on-demand throughput/i,
      `In the definition of the model "${name}", set model: "${profileOf(model, region)}", the id of an inference profile.`,
    ],
    [
      /doesn.t support (?:the )?(?:model that you provided|converse|tool use|system)|action doesn.t support/i,
      `Converse cannot call "${model}", the model of the definition "${name}", in this way: choose another model, or leave out what it does not support.`,
    ],
    [
      /access to the model|not authorized to perform|use case details have not been submitted/i,
      `Request access to "${model}" in ${place} in the console of Amazon Bedrock, and allow the credentials the action ` +
        "bedrock:InvokeModelWithResponseStream.",
    ],
    [
      /model identifier is invalid|could not resolve the foundation model|model not found|marked by provider as legacy/i,
      `"${model}", the model of the definition "${name}", may not exist in ${place}: check both, and AWS_REGION.`,
    ],
  ];
  return hints.find(([pattern]) => pattern.test(message))?.[1] ?? null;
}
