// Reads the variables of the webhook for threads that begin to wait. Without an address nothing is sent. If a value is invalid, nothing is
// sent either, and the Worker logs the variable.

import { fromBase64 } from "./base64.ts";
import { addressKind } from "./outbound/address-kind.ts";

/** The webhook of a deployment. */
export interface WebhookSettings {
  url: string;
  /** The key of the signature. */
  secret: Uint8Array;
  /** Whether the body contains titles of threads and arguments of calls. */
  content: boolean;
  /** The host of the address if the address is of this machine: the guarded fetch allows such a host only if it is listed. */
  allowedHosts: readonly string[];
}

/** Bytes of a key (Standard Webhooks, "Signature scheme"). */
const keyBytes = { least: 24, most: 64 };

const secretPrefix = "whsec_";

/** Called with the name of a variable whose value is invalid, and a text about the valid ones. */
type ReportInvalid = (name: string, valid: string) => void;

/** Reads the settings; null if nothing is sent. `isLocal`: the server runs in the open mode for this machine, and may send to it. */
export function webhookSettings(
  variables: Readonly<Record<string, unknown>>,
  { isLocal, onInvalid = () => {} }: { isLocal: boolean; onInvalid?: ReportInvalid },
): WebhookSettings | null {
  const text = (name: string): string => {
    const value = variables[name];
    return typeof value === "string" ? value.trim() : "";
  };
  const address = text("WAITING_WEBHOOK_URL");
  if (address === "") return null;
  const url = readAddress(address, isLocal);
  if (url === null)
    onInvalid("WAITING_WEBHOOK_URL", "an https address without a user name; on a local server also http to loopback");
  const secret = readSecret(text("WAITING_WEBHOOK_SECRET"));
  if (secret === null) onInvalid("WAITING_WEBHOOK_SECRET", "whsec_ and the base64 of 24 to 64 random bytes");
  const content = text("WAITING_WEBHOOK_CONTENT");
  const isKnown = ["", "true", "false"].includes(content);
  if (!isKnown) onInvalid("WAITING_WEBHOOK_CONTENT", "true or false");
  if (url === null || secret === null || !isKnown) return null;
  const allowedHosts = isLoopback(url) ? [url.host] : [];
  return { url: url.href, secret, content: content === "true", allowedHosts };
}

function isLoopback({ hostname }: URL): boolean {
  return hostname === "localhost" || addressKind(hostname) === "loopback";
}

function readAddress(address: string, isLocal: boolean): URL | null {
  const url = URL.parse(address);
  if (url === null || url.username !== "" || url.password !== "") return null;
  if (isLoopback(url)) return isLocal && (url.protocol === "http:" || url.protocol === "https:") ? url : null;
  return url.protocol === "https:" ? url : null;
}

function readSecret(text: string): Uint8Array | null {
  const bytes = text.startsWith(secretPrefix) ? fromBase64(text.slice(secretPrefix.length)) : null;
  return bytes === null || bytes.length < keyBytes.least || bytes.length > keyBytes.most ? null : bytes;
}
