// Files of a thread in memory, with the functions that attachments need: stored files, and failures that a test asks
// for.

import { refuse } from "#contract/error.ts";
import type { FileBody, ThreadFiles, WriteFacts } from "#core/ports/thread-file-port.ts";
import type { FileRecord } from "#spec/index.ts";

/** One file. */
export interface MemoryFile {
  record: FileRecord;
  bytes: Uint8Array;
}

/** The methods that attachments use. `refusing` makes writes fail like a full disk. */
export class MemoryFiles {
  readonly stored = new Map<string, MemoryFile>();
  /** Paths that were read whole. */
  readonly reads: string[] = [];
  refusing: Error | null = null;

  readonly port: ThreadFiles = {
    write: (path, body, facts) => this.#write(path, body, facts),
    attach: (name, body, facts) => this.#write(this.#free(name), body, facts),
    read: async (path) => {
      this.reads.push(path);
      return this.stored.get(path)?.bytes ?? null;
    },
    stat: async (path) => this.stored.get(path)?.record ?? null,
    remove: async (path) => {
      if (!this.stored.delete(path)) throw refuse("file_not_found", `There is no file ${path}.`);
    },
  } satisfies Partial<ThreadFiles> as ThreadFiles;

  /** Adds a file directly, without a write. */
  put(path: string, bytes: Uint8Array, mimeType: string, more: Partial<FileRecord> = {}): FileRecord {
    const name = path.split("/").at(-1) ?? path;
    const record = { path, name, mimeType, storage: "thread", size: bytes.byteLength, isDirectory: false, ...more };
    this.stored.set(path, { record, bytes });
    return record;
  }

  text(path: string): string {
    return new TextDecoder().decode(this.stored.get(path)?.bytes);
  }

  get paths(): string[] {
    return [...this.stored.keys()];
  }

  async #write(path: string, body: FileBody, { mimeType, width, height, made }: WriteFacts): Promise<FileRecord> {
    const bytes = new Uint8Array(await new Response(body).arrayBuffer());
    if (this.refusing !== null) throw this.refusing;
    const sized = { ...(width === undefined ? {} : { width }), ...(height === undefined ? {} : { height }) };
    const record = this.put(path, bytes, mimeType, sized);
    made?.({ path, etag: crypto.randomUUID() });
    return record;
  }

  #free(name: string): string {
    const [, stem = name, extension = ""] = /^(.+?)(\.\w+)?$/.exec(name) ?? [];
    let path = `/attachments/${name}`;
    for (let count = 2; this.stored.has(path); count += 1) path = `/attachments/${stem}-${count}${extension}`;
    return path;
  }
}

/** Bytes that start like a PNG, with this total length. */
export function pngBytes(length = 64): Uint8Array {
  const bytes = new Uint8Array(length).fill(7);
  bytes.set([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  return bytes;
}
