// Converts the text of a checkpoint's file to bytes and back, with compression and encryption as options. The first bytes of a file show
// whether it is compressed or encrypted, so files can be read after the options were changed. Exception: a store with encryption refuses an
// unencrypted file, because a person without the key could have written it.

import { createCipheriv, createDecipheriv, randomBytes, scrypt } from "node:crypto";
import { promisify } from "node:util";
import { gunzip, gzip } from "node:zlib";

import { refusal } from "../../../upp/upp-error.ts";

/** The key for AES-256-GCM: 32 bytes, or a passphrase from which scrypt derives the key. */
export type CheckpointEncryption = { key: Uint8Array } | { passphrase: string };

/** How files are written. */
export interface CodecOptions {
  compress: boolean;
  encrypt: CheckpointEncryption | null;
}

/** The location of a file. It is authenticated, so an encrypted file cannot be read at another location. */
interface FileLocation {
  sessionId: string;
  /** The name of the file in the session's folder. */
  file: string;
}

/** Converts texts to the bytes of files and back. */
export interface CheckpointCodec {
  encode(text: string, location: FileLocation): Promise<Uint8Array>;
  /** Throws INVALID_REQUEST for bytes that cannot be read. */
  decode(bytes: Uint8Array, location: FileLocation): Promise<string>;
}

// An encrypted file: mark, kind of key, salt, nonce, tag, encrypted bytes. JSON and gzip begin with other bytes.
const mark = Buffer.from("THCKPT1");
const saltAt = mark.length + 1;
const nonceAt = saltAt + 16;
const tagAt = nonceAt + 12;
const bodyAt = tagAt + 16;

const algorithm = "aes-256-gcm";
/** The maximum number of derived keys in memory. Each store writes files with its own salt, so files may have many different salts. */
const maxKeys = 32;

/** Creates a codec. Throws INVALID_REQUEST for a key that cannot be used. */
export function createCodec({ compress, encrypt }: CodecOptions): CheckpointCodec {
  const keys = encrypt === null ? null : keySource(encrypt);
  return {
    async encode(text, location) {
      const plain = Buffer.from(text, "utf8");
      const packed = compress ? await promisify(gzip)(plain) : plain;
      return keys === null ? packed : encrypted(packed, keys, location);
    },
    async decode(bytes, location) {
      const packed = await decrypted(Buffer.from(bytes), keys, location);
      if (packed[0] !== 0x1f || packed[1] !== 0x8b) return packed.toString("utf8");
      const plain = await promisify(gunzip)(packed).catch(() => null);
      if (plain === null)
        throw unreadable(location, "is compressed and damaged. Restore it from a backup, or delete the session");
      return plain.toString("utf8");
    },
  };
}

interface KeySource {
  /** The byte in a file that states how it was encrypted: 0 with a key, 1 with a passphrase. */
  kind: number;
  /** The salt of the files that this store writes. */
  salt: Buffer;
  keyFor: (salt: Buffer) => Promise<Buffer>;
}

function keySource(encryption: CheckpointEncryption): KeySource {
  const { key, passphrase } = encryption as Partial<{ key: unknown; passphrase: unknown }>;
  if (key instanceof Uint8Array && passphrase === undefined) {
    if (key.length !== 32) {
      throw refusal(
        `encrypt.key has ${key.length} bytes, and AES-256 needs 32. Create it with crypto.getRandomValues(new Uint8Array(32)).`,
      );
    }
    const copy = Buffer.from(key);
    return { kind: 0, salt: Buffer.alloc(16), keyFor: async () => copy };
  }
  if (typeof passphrase !== "string" || passphrase === "" || key !== undefined) {
    throw refusal(
      "The option encrypt has to have either a key, which is a Uint8Array of 32 bytes, or a passphrase, which is a text.",
    );
  }
  const derived = new Map<string, Buffer>();
  return {
    kind: 1,
    salt: randomBytes(16),
    async keyFor(salt) {
      const name = salt.toString("hex");
      const known = derived.get(name) ?? (await deriveKey(passphrase, salt));
      derived.delete(name);
      derived.set(name, known);
      for (const oldest of derived.keys()) if (derived.size > maxKeys) derived.delete(oldest);
      return known;
    },
  };
}

function deriveKey(passphrase: string, salt: Buffer): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    scrypt(passphrase.normalize("NFC"), salt, 32, { N: 2 ** 15, r: 8, p: 1, maxmem: 2 ** 26 }, (error, key) => {
      if (error === null) resolve(key);
      else reject(error);
    });
  });
}

async function encrypted(plain: Buffer, { kind, salt, keyFor }: KeySource, location: FileLocation): Promise<Buffer> {
  const head = Buffer.concat([mark, Buffer.from([kind]), salt]);
  const nonce = randomBytes(12);
  const cipher = createCipheriv(algorithm, await keyFor(salt), nonce);
  cipher.setAAD(authenticatedData(head, location));
  const body = Buffer.concat([cipher.update(plain), cipher.final()]);
  return Buffer.concat([head, nonce, cipher.getAuthTag(), body]);
}

async function decrypted(bytes: Buffer, keys: KeySource | null, location: FileLocation): Promise<Buffer> {
  const isEncrypted = bytes.subarray(0, mark.length).equals(mark);
  if (!isEncrypted) {
    if (keys === null) return bytes;
    throw unreadable(
      location,
      "is not encrypted, and this store reads only encrypted files. Load it with a store without `encrypt`, and save it with this store",
    );
  }
  if (keys === null) throw unreadable(location, "is encrypted. Give the store the option `encrypt`");
  if (bytes[mark.length] !== keys.kind) {
    const kinds =
      keys.kind === 0 ? "with a passphrase, and this store has a key" : "with a key, and this store has a passphrase";
    throw unreadable(
      location,
      `is encrypted ${kinds}. Create the store with the option that the file was written with`,
    );
  }
  try {
    const decipher = createDecipheriv(
      algorithm,
      await keys.keyFor(bytes.subarray(saltAt, nonceAt)),
      bytes.subarray(nonceAt, tagAt),
      { authTagLength: 16 },
    );
    decipher.setAAD(authenticatedData(bytes.subarray(0, nonceAt), location));
    decipher.setAuthTag(bytes.subarray(tagAt, bodyAt));
    return Buffer.concat([decipher.update(bytes.subarray(bodyAt)), decipher.final()]);
  } catch {
    throw unreadable(
      location,
      "cannot be decrypted: it was written with another key, or it was changed or moved. Use the right key, or restore the file from a backup",
    );
  }
}

/** The data that is authenticated with a file. */
function authenticatedData(head: Buffer, { sessionId, file }: FileLocation): Buffer {
  return Buffer.concat([head, Buffer.from(`${file}\n${sessionId}`, "utf8")]);
}

function unreadable({ sessionId, file }: FileLocation, problem: string) {
  return refusal(`The file ${file} of the session ${JSON.stringify(sessionId)} ${problem}.`);
}
