// Recognises the type of an image by its first bytes. Covers only the types that every vision model accepts.

/** The recognised types. */
export type ImageType = "image/png" | "image/jpeg" | "image/gif" | "image/webp";

/** The type of the bytes; null for any other type. */
export function imageType(bytes: Uint8Array): ImageType | null {
  const begins = (...values: number[]): boolean => values.every((value, at) => bytes[at] === value);
  if (begins(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a)) return "image/png";
  if (begins(0xff, 0xd8, 0xff)) return "image/jpeg";
  if (begins(0x47, 0x49, 0x46, 0x38)) return "image/gif";
  const isRiff = begins(0x52, 0x49, 0x46, 0x46);
  return isRiff && [0x57, 0x45, 0x42, 0x50].every((value, at) => bytes[8 + at] === value) ? "image/webp" : null;
}
