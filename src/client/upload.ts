// Uploads with progress. In a page, XMLHttpRequest reports the sent bytes; fetch reports nothing, and cannot stream over HTTP/1.1.
// Elsewhere the bytes are counted when fetch reads them. A body that is not a stream can be sent again after a network failure.

import { Listeners } from "./follow/listeners.ts";
import type { ClientFetch, RequestBody } from "./settings.ts";

/** Progress of an upload in bytes. `total` is null for a stream, whose length is unknown. */
export interface UploadProgress {
  loaded: number;
  total: number | null;
}

/** Called after each sent piece of the body. The last call reports the whole body. */
export type ProgressListener = (progress: UploadProgress) => void;

const pieceBytes = 64 * 1024;

/** The body as a stream that reports its bytes as they are read. */
export function withProgress(body: RequestBody, onProgress: ProgressListener): ReadableStream<Uint8Array> {
  const blob = body instanceof ReadableStream ? null : new Blob([body as never]);
  const total = blob?.size ?? null;
  let loaded = 0;
  // `Listeners` catches an exception of the listener, so that it does not end the upload.
  const listeners = new Listeners<[UploadProgress]>();
  listeners.add(onProgress);
  const counter = new TransformStream<Uint8Array, Uint8Array>({
    transform(piece, controller) {
      controller.enqueue(piece);
      loaded += piece.byteLength;
      listeners.notify({ loaded, total });
    },
  });
  return (blob === null ? (body as ReadableStream<Uint8Array>) : slices(blob)).pipeThrough(counter);
}

/** The bytes in pieces. A platform may give all of them as one piece of the Blob's own stream. */
function slices(blob: Blob): ReadableStream<Uint8Array> {
  let position = 0;
  return new ReadableStream({
    async pull(controller) {
      const piece = blob.slice(position, (position += pieceBytes));
      if (piece.size > 0) controller.enqueue(new Uint8Array(await piece.arrayBuffer()));
      else controller.close();
    },
  });
}

/** The fields of a request that uploads a body. */
export interface Upload {
  raw: () => RequestBody;
  repeatable: boolean;
  timeoutMs: null;
  fetch: ClientFetch | undefined;
}

/** Prepares a body. In a page a stream is read into a Blob, because not every browser can send a stream. Elsewhere it is sent only once. */
export async function uploadOf(content: RequestBody, onProgress: ProgressListener | undefined): Promise<Upload> {
  const isGathered = content instanceof ReadableStream && "XMLHttpRequest" in globalThis;
  const body = isGathered ? await new Response(content).blob() : content;
  const isStream = body instanceof ReadableStream;
  const fetch = onProgress === undefined || isStream ? undefined : pageUpload(onProgress);
  return {
    raw: () => (onProgress === undefined || fetch !== undefined ? body : withProgress(body, onProgress)),
    repeatable: !isStream,
    timeoutMs: null,
    fetch,
  };
}

/** The part of XMLHttpRequest that an upload uses. */
interface PageRequest {
  readonly upload: { onprogress: ((event: { loaded: number; total: number }) => void) | null };
  onload: (() => void) | null;
  onerror: (() => void) | null;
  onabort: (() => void) | null;
  readonly status: number;
  readonly responseText: string;
  open(method: string, url: string): void;
  setRequestHeader(name: string, value: string): void;
  getResponseHeader(name: string): string | null;
  send(body: unknown): void;
  abort(): void;
}

/** A replacement for fetch that uses XMLHttpRequest to report progress; undefined outside of a page. */
function pageUpload(onProgress: ProgressListener): ClientFetch | undefined {
  const { XMLHttpRequest: Found } = globalThis as { XMLHttpRequest?: new () => PageRequest };
  if (Found === undefined) return undefined;
  return (url, { method = "PUT", headers, body, signal }) =>
    new Promise((resolve, reject) => {
      const request = new Found();
      request.open(method, url);
      for (const [name, value] of Object.entries({ ...(headers as Record<string, string>) })) {
        request.setRequestHeader(name, value);
      }
      request.upload.onprogress = ({ loaded, total }) => onProgress({ loaded, total });
      const abort = (): void => request.abort();
      signal?.addEventListener("abort", abort);
      const removeListener = (): void => signal?.removeEventListener("abort", abort);
      const failed = (): void => {
        removeListener();
        reject(new TypeError("The upload broke off."));
      };
      request.onerror = failed;
      request.onabort = failed;
      request.onload = () => {
        removeListener();
        const responseHeaders = new Headers();
        for (const name of ["retry-after", "etag"]) {
          const value = request.getResponseHeader(name);
          if (value !== null) responseHeaders.set(name, value);
        }
        const { status, responseText } = request;
        resolve(new Response(status === 204 ? null : responseText, { status, headers: responseHeaders }));
      };
      if (signal?.aborted === true) failed();
      else request.send(body);
    });
}
