// Loads the bytes of a file and reports the progress.

import type { ThreadHandle } from "threadhold/client";

/** How a file is loaded. */
export interface ReadOptions {
  signal?: AbortSignal | undefined;
  onLoaded?: ((bytes: number) => void) | undefined;
}

/** The file's bytes, with its media type. */
export async function readBlob(handle: ThreadHandle, path: string, { signal, onLoaded }: ReadOptions): Promise<Blob> {
  const answer = await handle.files.download(path, { signal });
  const type = answer.headers.get("content-type") ?? "";
  const reader = answer.body?.getReader();
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let loaded = 0;
  for (;;) {
    const { done, value } = (await reader?.read()) ?? { done: true, value: undefined };
    if (done || value === undefined) return new Blob(chunks, { type });
    chunks.push(value);
    loaded += value.byteLength;
    onLoaded?.(loaded);
  }
}
