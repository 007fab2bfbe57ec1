// Media types whose bytes are text that a person, or a model, can read as it stands.

const textTypes = /^(text\/|application\/(json|xml|yaml|x-yaml|javascript|toml|x-sh|sql|[\w.-]+\+(json|xml))\b)/i;

/** True for text, JSON, CSV, XML and their kin. */
export function isTextType(mimeType: string): boolean {
  return textTypes.test(mimeType);
}

/** The text of UTF-8 bytes; null where they are none. */
export function decodeText(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(bytes);
  } catch {
    return null;
  }
}
