// Uploads files to a thread, a few at a time, with the progress of each. An existing file is replaced only if the user
// agrees. Uploads continue while another page of the thread is open.

import { createStore } from "../../kit/create-store.ts";
import { numbered } from "../path.ts";

/** A file that is uploaded. */
export interface Upload {
  key: number;
  path: string;
  size: number;
  /** The number of bytes sent. */
  loaded: number;
  /** `asking`: the path is taken, and the user has to decide. */
  state: "waiting" | "sending" | "asking" | "done" | "failed";
  error: Error | null;
}

/** How a file is sent. Contract: rejects with `isTaken` if `over` is false and the path is taken. */
export interface UploadPorts {
  send: (path: string, file: File, options: SendUpload) => Promise<unknown>;
  isTaken: (error: unknown) => boolean;
}

export interface SendUpload {
  over: boolean;
  signal: AbortSignal;
  onLoaded: (bytes: number) => void;
}

/** The number of files that are sent at the same time. */
const atOnce = 2;

interface Kept {
  upload: Upload;
  file: File;
  /** The requested path, before a number was added. */
  wanted: string;
  over: boolean;
  number: number;
  leave: AbortController;
}

/** The uploads of a thread. */
export class UploadQueue {
  readonly #ports: UploadPorts;
  readonly #store = createStore<readonly Upload[]>([]);
  readonly #kept = new Map<number, Kept>();
  #keys = 0;

  constructor(ports: UploadPorts) {
    this.#ports = ports;
  }

  /** All uploads; the same list until something changes. */
  readonly get = this.#store.get;

  readonly subscribe = this.#store.subscribe;

  /** Whether closing the page would end an upload. */
  get busy(): boolean {
    return this.#store.get().some(({ state }) => state !== "done" && state !== "failed");
  }

  add(files: Iterable<{ path: string; file: File }>): void {
    for (const { path, file } of files) {
      this.#keys += 1;
      const upload: Upload = { key: this.#keys, path, size: file.size, loaded: 0, state: "waiting", error: null };
      this.#kept.set(upload.key, { upload, file, wanted: path, over: false, number: 1, leave: new AbortController() });
    }
    this.#next();
  }

  /** Uploads over the existing file. */
  replace(key: number): void {
    this.#again(key, (kept) => ({ ...kept, over: true }));
  }

  /** Uploads next to the existing file, under a name with a number. */
  keepBoth(key: number): void {
    this.#again(key, (kept) => {
      const number = kept.number + 1;
      return { ...kept, number, upload: { ...kept.upload, path: numbered(kept.wanted, number) } };
    });
  }

  retry(key: number): void {
    this.#again(key, (kept) => kept);
  }

  /** Cancels an upload and removes it from the list. */
  cancel(key: number): void {
    this.#kept.get(key)?.leave.abort();
    this.#kept.delete(key);
    this.#next();
  }

  /** Removes finished uploads from the list. */
  clear(): void {
    for (const [key, { upload }] of this.#kept) if (upload.state === "done") this.#kept.delete(key);
    this.#tell();
  }

  #again(key: number, change: (kept: Kept) => Kept): void {
    const kept = this.#kept.get(key);
    if (kept === undefined || kept.upload.state === "sending" || kept.upload.state === "done") return;
    const next = change(kept);
    this.#kept.set(key, { ...next, upload: { ...next.upload, state: "waiting", loaded: 0, error: null } });
    this.#next();
  }

  #next(): void {
    let sending = [...this.#kept.values()].filter(({ upload }) => upload.state === "sending").length;
    for (const [key, kept] of this.#kept) {
      if (sending >= atOnce) break;
      if (kept.upload.state !== "waiting") continue;
      sending += 1;
      this.#put(key, { state: "sending" });
      void this.#send(key, kept);
    }
    this.#tell();
  }

  async #send(key: number, { upload, file, over, leave }: Kept): Promise<void> {
    const { signal } = leave;
    try {
      await this.#ports.send(upload.path, file, { over, signal, onLoaded: (loaded) => this.#put(key, { loaded }) });
      this.#put(key, { state: "done", loaded: file.size });
    } catch (thrown) {
      const error = thrown instanceof Error ? thrown : new Error(String(thrown));
      const asking = !over && this.#ports.isTaken(thrown);
      this.#put(key, asking ? { state: "asking" } : { state: "failed", error });
    }
    this.#next();
  }

  #put(key: number, change: Partial<Upload>): void {
    const kept = this.#kept.get(key);
    if (kept === undefined) return;
    this.#kept.set(key, { ...kept, upload: { ...kept.upload, ...change } });
    this.#tell();
  }

  #tell(): void {
    this.#store.set([...this.#kept.values()].map(({ upload }) => upload));
  }
}
