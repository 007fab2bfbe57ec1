// Uploads that tell how far they are. A page learns that from XMLHttpRequest alone, since its fetch tells nothing and sends no
// streams over HTTP/1.1; elsewhere the bytes are counted as they are taken. A body that is no stream is sent again after a cut.

import { Listeners } from "./follow/listeners.ts";
import type { ClientFetch, RequestBody } from "./settings.ts";

/** How far an upload is. `total` is null for a stream, whose length nobody knows. */
export interface UploadProgress {
  loaded: number;
  total: number | null;
}

/** Told after each piece, and once more when everything was sent. */
export type ProgressListener = (progress: UploadProgress) => void;

const pieceBytes = 64 * 1024;

/** Bytes of a body; null where only sending it would tell. */
function lengthOf(body: RequestBody): number | null {
  if (body instanceof ReadableStream) return null;
  if (body instanceof Blob) return body.size;
  return typeof body === "string" ? new TextEncoder().encode(body).length : body.byteLength;
}

/** The body as a stream that tells of its bytes as they are taken. */
export function counted(body: RequestBody, onProgress: ProgressListener): ReadableStream<Uint8Array> {
  const total = lengthOf(body);
  let loaded = 0;
  // One that throws ends no upload.
  const listeners = new Listeners<[UploadProgress]>();
  listeners.add(onProgress);
  const tell = new TransformStream<Uint8Array, Uint8Array>({
    transform(piece, controller) {
      controller.enqueue(piece);
      loaded += piece.byteLength;
      listeners.tell({ loaded, total });
    },
  });
  return streamOf(body).pipeThrough(tell);
}

function streamOf(body: RequestBody): ReadableStream<Uint8Array> {
  if (body instanceof ReadableStream) return body;
  if (body instanceof Blob) return body.stream() as ReadableStream<Uint8Array>;
  const bytes = bytesOf(body);
  let at = 0;
  return new ReadableStream<Uint8Array>({
    pull(controller) {
      if (at < bytes.length) controller.enqueue(bytes.subarray(at, (at += pieceBytes)));
      else controller.close();
    },
  });
}

function bytesOf(body: ArrayBuffer | ArrayBufferView | string): Uint8Array {
  if (typeof body === "string") return new TextEncoder().encode(body);
  return body instanceof ArrayBuffer
    ? new Uint8Array(body)
    : new Uint8Array(body.buffer, body.byteOffset, body.byteLength);
}

/** What can be sent here: in a page a stream is gathered first, since not every browser sends one, and some send its name. */
export async function sendable(body: RequestBody): Promise<RequestBody> {
  const gathered = body instanceof ReadableStream && "XMLHttpRequest" in globalThis;
  return gathered ? new Response(body).blob() : body;
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

/** The page's own way to send with progress; null outside of a page. */
export function pageUpload(onProgress: ProgressListener): ClientFetch | null {
  const { XMLHttpRequest: Found } = globalThis as { XMLHttpRequest?: new () => PageRequest };
  if (Found === undefined) return null;
  return (url, { method = "PUT", headers, body, signal }) =>
    new Promise((resolve, reject) => {
      const request = new Found();
      request.open(method, url);
      for (const [name, value] of Object.entries({ ...(headers as Record<string, string>) })) {
        request.setRequestHeader(name, value);
      }
      request.upload.onprogress = ({ loaded, total }) => onProgress({ loaded, total });
      const leave = (): void => request.abort();
      signal?.addEventListener("abort", leave);
      const over = (): void => signal?.removeEventListener("abort", leave);
      const failed = (): void => {
        over();
        reject(new TypeError("The upload broke off."));
      };
      request.onerror = failed;
      request.onabort = failed;
      request.onload = () => {
        over();
        const answered = new Headers();
        for (const name of ["retry-after", "etag"]) {
          const value = request.getResponseHeader(name);
          if (value !== null) answered.set(name, value);
        }
        const { status, responseText } = request;
        resolve(new Response(status === 204 ? null : responseText, { status, headers: answered }));
      };
      if (signal?.aborted === true) failed();
      else request.send(body);
    });
}
