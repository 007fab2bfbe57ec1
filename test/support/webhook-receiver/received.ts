// What the receiver of the tests has received.

/** A received webhook. */
export interface ReceivedWebhook {
  method: string;
  headers: Record<string, string>;
  body: string;
}

/** Resolves with all webhooks of a scope once there are at least `count`. */
export async function receivedWebhooks(receiver: string, scope: string, count: number): Promise<ReceivedWebhook[]> {
  const response = await fetch(`${receiver}/${scope}/received?count=${count}`);
  return (await response.json()) as ReceivedWebhook[];
}

/** Whether the signature is the one of Standard Webhooks: an HMAC with SHA-256 of id, timestamp and body. */
export async function isSigned({ headers, body }: ReceivedWebhook, secret: string): Promise<boolean> {
  const bytes = (base64: string) => Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const key = await crypto.subtle.importKey("raw", bytes(secret.replace("whsec_", "")), algorithm, false, ["verify"]);
  const signed = `${headers["webhook-id"]}.${headers["webhook-timestamp"]}.${body}`;
  const signature = bytes((headers["webhook-signature"] ?? "").replace("v1,", ""));
  return crypto.subtle.verify("HMAC", key, signature, new TextEncoder().encode(signed));
}
