// Finds the region of a request to Bedrock, which is a part of its signature.

/** `bedrock-runtime.eu-central-1.amazonaws.com`, `bedrock-runtime-fips.us-gov-west-1.amazonaws.com`, and endpoints of a VPC. */
const regionOfHost =
  /(?:^|\.)bedrock-runtime(?:-fips)?\.([a-z0-9-]+)\.(?:vpce\.)?(?:amazonaws\.com(?:\.cn)?|api\.aws)$/;
const regionOfArn = /^arn:[a-z0-9-]+:[a-z0-9-]+:([a-z0-9-]+):/;

/** Variables with the region, in the order in which they are read. */
export const regionVariables = ["AWS_REGION", "AWS_DEFAULT_REGION"] as const;

/** Whether a text has the form of a region: `eu-central-1`, `us-gov-west-1`. */
export function isRegion(text: string): boolean {
  return /^[a-z0-9]+(?:-[a-z0-9]+){1,4}$/.test(text);
}

/** The region of a model: that of its ARN, or of the variables; null if none is set. */
export function regionOfModel(model: string, read: (name: string) => string | null): string | null {
  const ofArn = regionOfArn.exec(model)?.[1];
  return ofArn ?? regionVariables.map(read).find((value) => value !== null) ?? null;
}

/** The region of a request: that of its host, of the model's ARN, or of the variables; null if none is known. */
export function regionOf({
  host,
  model,
  credentials,
}: {
  host: string;
  model: string;
  credentials: Readonly<Record<string, string>>;
}): string | null {
  return regionOfHost.exec(host.replace(/:\d+$/, ""))?.[1] ?? regionOfModel(model, (name) => credentials[name] ?? null);
}
