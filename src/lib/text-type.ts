// Media types whose bytes are readable text.

const textTypes = /^(text\/|application\/(json|xml|yaml|x-yaml|javascript|toml|x-sh|sql|[\w.-]+\+(json|xml))\b)/i;

/** Whether a type is text, JSON, CSV, XML or similar. */
export function isTextType(mimeType: string): boolean {
  return textTypes.test(mimeType);
}

/** Decodes UTF-8; null if the bytes are not UTF-8. */
export function decodeText(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(bytes);
  } catch {
    return null;
  }
}
