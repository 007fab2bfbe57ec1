// A file that a message names by address, fetched when the message is admitted. Where it may be fetched from is the guarded
// fetch's to say; here it is bounded in bytes and named.

import { refuse } from "#contract/error.ts";
import type { OutboundFetch, OutboundLimits } from "#core/ports/outbound-fetch.ts";

/** What came. */
export interface FetchedFile {
  bytes: Uint8Array;
  /** As its server says; null where it does not. */
  mimeType: string | null;
  /** Last part of the address. */
  name: string;
}

/** Fetches it whole. Rejects with a refusal that names the host and no more of the address. */
export async function fetchFile(
  url: string,
  outbound: OutboundFetch,
  limits: Partial<OutboundLimits>,
): Promise<FetchedFile> {
  const response = await outbound(url, { limits });
  if (!response.ok) {
    await response.body?.cancel();
    throw refuse("invalid_request", `${new URL(url).host} answered ${response.status} instead of the file.`);
  }
  const type = response.headers.get("content-type")?.split(";")[0]?.trim().toLowerCase() ?? "";
  return {
    bytes: new Uint8Array(await response.arrayBuffer()),
    mimeType: type === "" ? null : type,
    name: lastSegment(url),
  };
}

function lastSegment(url: string): string {
  const segment = new URL(url).pathname.split("/").findLast((part) => part !== "") ?? "";
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
