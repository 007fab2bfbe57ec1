// Checkpoints as files, in the layout of UAP: `{dir}/{sessionId}/checkpoint.json` is the last state, and `metadata.json` is its
// metadata. Each file is written under another name and then renamed. `metadata.json` is removed before `checkpoint.json` is replaced, so
// after a crash between the two it is missing, and never describes another state.

import { mkdir, readdir, readFile, rename, rm, rmdir, stat } from "node:fs/promises";
import path from "node:path";

import { ownJsonOrUndefined } from "#lib/untrusted/own-json.ts";
import { WriteQueues } from "#lib/write-queue.ts";

import { nullIfMissing, syncFolder, writeDurably } from "../../../node/durable-files.ts";
import { refusal } from "../../../upp/upp-error.ts";
import type { CheckpointMetadata, CheckpointStore } from "../../checkpoint-store.ts";
import type { AgentStateJSON } from "../../state-json.ts";
import { newMetadata, readMetadata, restoredMetadata } from "../checkpoint-metadata.ts";
import { stateOfText } from "../checkpoint-text.ts";
import { nameOfSession, sessionOfName } from "../session-name.ts";
import { createCodec } from "./checkpoint-codec.ts";
import type { CheckpointCodec, CheckpointEncryption } from "./checkpoint-codec.ts";

/** Options of `fileCheckpoints`. */
export interface FileCheckpointOptions {
  /** The folder of the checkpoints. It is created when it is needed. Default: ".checkpoints". */
  dir?: string;
  /** Compresses files with gzip. Both compressed and uncompressed files can be read with either value. Default: false. */
  compress?: boolean;
  /** Encrypts files with AES-256-GCM. With this option, files that are not encrypted are refused. Default: files are not encrypted. */
  encrypt?: CheckpointEncryption;
}

const checkpointFile = "checkpoint.json";
const metadataFile = "metadata.json";
const temporary = ".tmp";
const temporaryFile = /^(?:checkpoint|metadata)\.json\..+\.tmp$/;
/** Age in milliseconds after which a temporary file belongs to a process that crashed. */
const abandonedAfter = 60 * 60 * 1000;

/** The writes of each session folder. All stores of this process share the queues, so that a save never overwrites a later save of another store. */
const queues = new WriteQueues();

/**
 * Keeps checkpoints as files that only the user of this process can read. A load waits for the saves of the session that were called
 * before it. Saves of one process are executed in the order of their calls. If two processes save the same session, the save that ends last remains.
 */
export function fileCheckpoints({
  dir = ".checkpoints",
  compress = false,
  encrypt,
}: FileCheckpointOptions = {}): Required<CheckpointStore> {
  if (typeof dir !== "string" || dir === "") {
    throw refusal(`The option dir is ${JSON.stringify(dir)}. Set it to the path of a folder, or leave it out.`);
  }
  const root = path.resolve(dir);
  const codec = createCodec({ compress, encrypt: encrypt ?? null });
  const at = (sessionId: string) => new SessionFolder(path.join(root, nameOfSession(sessionId)), sessionId, codec);
  return {
    async save(sessionId, state) {
      const folder = at(sessionId);
      const texts = { state: JSON.stringify(state), metadata: JSON.stringify(newMetadata(sessionId, state)) };
      await queues.of(folder.path).save(() => folder.write(texts));
    },
    async load(sessionId) {
      const folder = at(sessionId);
      await queues.settled(folder.path);
      return folder.state();
    },
    async loadMetadata(sessionId) {
      const folder = at(sessionId);
      await queues.settled(folder.path);
      return folder.metadata();
    },
    async delete(sessionId) {
      const folder = at(sessionId);
      await queues.of(folder.path).delete(() => folder.remove());
    },
    async list() {
      await queues.allSettled((folder) => path.dirname(folder) === root);
      const entries = await nullIfMissing(readdir(root, { withFileTypes: true }));
      const sessions: string[] = [];
      for (const entry of entries ?? []) {
        const sessionId = entry.isDirectory() ? sessionOfName(entry.name) : null;
        if (sessionId !== null && (await at(sessionId).exists())) sessions.push(sessionId);
      }
      return sessions.toSorted();
    },
  };
}

/** The files of one session. */
class SessionFolder {
  readonly path: string;
  readonly #sessionId: string;
  readonly #codec: CheckpointCodec;

  constructor(folder: string, sessionId: string, codec: CheckpointCodec) {
    this.path = folder;
    this.#sessionId = sessionId;
    this.#codec = codec;
  }

  async exists(): Promise<boolean> {
    return (await nullIfMissing(stat(this.#file(checkpointFile)))) !== null;
  }

  async state(): Promise<AgentStateJSON | null> {
    const text = await this.#read(checkpointFile);
    return text === null ? null : stateOfText(this.#sessionId, text);
  }

  async metadata(): Promise<CheckpointMetadata | null> {
    const text = await this.#read(metadataFile);
    const file = await nullIfMissing(stat(this.#file(checkpointFile)));
    if (file === null) return null;
    const metadata = text === null ? null : readMetadata(this.#sessionId, ownJsonOrUndefined(text));
    if (metadata !== null) return metadata;
    const state = await this.state();
    return state === null ? null : restoredMetadata(this.#sessionId, state, file.mtime);
  }

  async write({ state, metadata }: { state: string; metadata: string }): Promise<void> {
    await mkdir(this.path, { recursive: true, mode: 0o700 });
    const suffix = `.${crypto.randomUUID()}${temporary}`;
    const [newStateFile, newMetadataFile] = [this.#file(checkpointFile + suffix), this.#file(metadataFile + suffix)];
    try {
      await writeDurably(newStateFile, await this.#codec.encode(state, this.#location(checkpointFile)));
      await writeDurably(newMetadataFile, await this.#codec.encode(metadata, this.#location(metadataFile)));
      await rm(this.#file(metadataFile), { force: true });
      await rename(newStateFile, this.#file(checkpointFile));
      await rename(newMetadataFile, this.#file(metadataFile));
      await syncFolder(this.path);
    } finally {
      for (const file of [newStateFile, newMetadataFile]) await rm(file, { force: true });
    }
    await this.#removeAbandoned();
  }

  /**
   * Removes the files that this store wrote, and the folder if it is then empty. Other files remain: the folder of the store may contain folders
   * of other programs, and the id of a session may come from a request.
   */
  async remove(): Promise<void> {
    if (!(await this.exists()) && !(await this.#hasOwnMetadata())) return;
    // Without `checkpoint.json`, a session does not exist, so this file is removed first.
    for (const name of [checkpointFile, metadataFile, ...(await this.#temporaryFiles())]) {
      await rm(this.#file(name), { force: true });
    }
    await rmdir(this.path).catch((error: unknown) => {
      if (!["ENOENT", "ENOTEMPTY", "EEXIST"].includes((error as NodeJS.ErrnoException).code ?? "")) throw error;
    });
  }

  /** Whether `metadata.json` is that of this session: a crash during a deletion leaves it without `checkpoint.json`. */
  async #hasOwnMetadata(): Promise<boolean> {
    const text = await this.#read(metadataFile).catch(() => null);
    return text !== null && readMetadata(this.#sessionId, ownJsonOrUndefined(text)) !== null;
  }

  async #temporaryFiles(): Promise<string[]> {
    return ((await nullIfMissing(readdir(this.path))) ?? []).filter((name) => temporaryFile.test(name));
  }

  async #removeAbandoned(): Promise<void> {
    for (const name of await this.#temporaryFiles()) {
      const file = await nullIfMissing(stat(this.#file(name)));
      if (file !== null && Date.now() - file.mtimeMs > abandonedAfter) await rm(this.#file(name), { force: true });
    }
  }

  async #read(file: string): Promise<string | null> {
    const bytes = await nullIfMissing(readFile(this.#file(file)));
    return bytes === null ? null : this.#codec.decode(bytes, this.#location(file));
  }

  #file(name: string): string {
    return path.join(this.path, name);
  }

  #location(file: string) {
    return { sessionId: this.#sessionId, file };
  }
}
