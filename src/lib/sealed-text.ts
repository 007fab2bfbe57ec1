// Encrypts texts that are stored, by AES-256-GCM. A text is bound to its owner and server, so a row that is copied to another owner or
// server cannot be decrypted. A variable lists the keys: the first key encrypts, and every key decrypts, so that a key can be replaced.

import { fromBase64, toBase64 } from "./base64.ts";

/** The type `CryptoKey`, whose name the types of Node do not declare globally. */
type Key = Awaited<ReturnType<typeof crypto.subtle.importKey>>;

/** The keys of a deployment, the encrypting one first. */
export type SealKeys = readonly [Key, ...Key[]];

/** The maximum number of keys. Each of them is tried for a text. */
const mostKeys = 8;

const keyBytes = 32;
const nonceBytes = 12;

/** The beginning of a sealed text. A new format would get a new beginning. */
const version = "1.";

/** Reads the value of the variable. Null if it is absent, or not a list of at most 8 keys, each base64 of 32 bytes. */
export async function readSealKeys(variable: unknown): Promise<SealKeys | null> {
  if (typeof variable !== "string") return null;
  const texts = variable.split(",").map((text) => text.trim());
  if (texts.length > mostKeys) return null;
  const keys: Key[] = [];
  for (const text of texts) {
    const bytes = keyOf(text);
    if (bytes === null) return null;
    keys.push(await crypto.subtle.importKey("raw", bytes, "AES-GCM", false, ["encrypt", "decrypt"]));
  }
  const [first, ...others] = keys;
  return first === undefined ? null : [first, ...others];
}

function keyOf(text: string): Uint8Array<ArrayBuffer> | null {
  if (!/^[A-Za-z0-9+/]{43}=$/.test(text)) return null;
  const bytes = fromBase64(text);
  return bytes?.length === keyBytes ? new Uint8Array(bytes) : null;
}

/** Encrypts a text. `place` names where it is stored, and `unseal` requires the same parts. */
export async function seal([key]: SealKeys, text: string, place: readonly string[]): Promise<string> {
  const iv = crypto.getRandomValues(new Uint8Array(nonceBytes));
  const additionalData = placeBytes(place);
  const plain = new TextEncoder().encode(text);
  const sealed = new Uint8Array(await crypto.subtle.encrypt({ name: "AES-GCM", iv, additionalData }, key, plain));
  const whole = new Uint8Array(iv.length + sealed.length);
  whole.set(iv);
  whole.set(sealed, iv.length);
  return version + urlText(whole);
}

/** Decrypts a text. Null if no key fits, if the text was changed, or if it was sealed for another place. */
export async function unseal(keys: SealKeys, sealed: string, place: readonly string[]): Promise<string | null> {
  const whole = sealed.startsWith(version) ? urlBytes(sealed.slice(version.length)) : null;
  if (whole === null || whole.length <= nonceBytes) return null;
  const algorithm = { name: "AES-GCM", iv: whole.slice(0, nonceBytes), additionalData: placeBytes(place) };
  for (const key of keys) {
    try {
      const plain = await crypto.subtle.decrypt(algorithm, key, whole.slice(nonceBytes));
      return new TextDecoder().decode(plain);
    } catch {
      // Another key may fit. WebCrypto does not state why it rejects.
    }
  }
  return null;
}

/** The parts of a place as bytes. JSON keeps apart parts whose concatenations are equal. */
function placeBytes(place: readonly string[]): Uint8Array<ArrayBuffer> {
  return new Uint8Array(new TextEncoder().encode(JSON.stringify(place)));
}

/** Base64 with the alphabet of URLs and without padding, so that a sealed text can be a part of an address. */
export function urlText(bytes: Uint8Array): string {
  return toBase64(bytes).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

function urlBytes(text: string): Uint8Array<ArrayBuffer> | null {
  if (!/^[A-Za-z0-9_-]+$/.test(text)) return null;
  const standard = text.replaceAll("-", "+").replaceAll("_", "/");
  const bytes = fromBase64(standard.padEnd(Math.ceil(standard.length / 4) * 4, "="));
  return bytes === null ? null : new Uint8Array(bytes);
}
