// Fetches a file that a message names by URL, when the message is admitted. The guarded fetch checks the address; this module bounds the
// bytes and derives the file's name.

import { refuse } from "#contract/error.ts";
import type { OutboundFetch, OutboundLimits } from "#core/ports/outbound-fetch.ts";

export interface FetchedFile {
  bytes: Uint8Array;
  /** The media type in the response; null if it has none. */
  mimeType: string | null;
  /** The last segment of the URL's path. */
  name: string;
}

/** Fetches the whole file. Rejects with a refusal that names only the host of the URL. */
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
