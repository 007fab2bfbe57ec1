// The media types of files that the API of a provider accepts.

/** Media types of files that an API accepts; `audio/*` means all types of a group. */
export interface AcceptedFiles {
  /** Types of files that are sent as bytes. */
  bytes: readonly string[];
  /** Types of files that are sent as URLs. */
  urls: readonly string[];
  /** Types of images, as bytes and as URLs. Absent: all. */
  images?: readonly string[];
  /** Set to false if images cannot be sent as URLs. */
  imageUrls?: false;
}

/** The type with which an image is sent; null if the API does not accept the image. */
export function imageType({ images }: AcceptedFiles, mimeType: string): string | null {
  const type = mimeType === "image/jpg" ? "image/jpeg" : mimeType;
  return images === undefined || images.includes(type) ? type : null;
}

/** Whether a media type is one of the types, or belongs to a group among them. */
export function acceptsType(types: readonly string[], mimeType: string): boolean {
  return types.some((type) => (type.endsWith("/*") ? mimeType.startsWith(type.slice(0, -1)) : type === mimeType));
}
