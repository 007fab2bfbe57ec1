// The media types of files that the API of a provider accepts.

/** Media types of files that an API accepts; `audio/*` means all types of a group. */
export interface AcceptedFiles {
  /** Types of files that are sent as bytes. */
  bytes: readonly string[];
  /** Types of files that are sent as URLs. */
  urls: readonly string[];
  /** Types of images, as bytes and as URLs. Absent: all. */
  images?: readonly string[];
  /** Protocols of the URLs as which images are sent. Absent: all. */
  imageUrls?: readonly `${string}:`[];
}

/** The type with which an image is sent; null if the API does not accept the image. */
export function imageType({ images }: AcceptedFiles, mimeType: string): string | null {
  const type = mimeType === "image/jpg" ? "image/jpeg" : mimeType;
  return images === undefined || images.includes(type) ? type : null;
}

/** Whether an image can be sent as this URL. */
export function acceptsImageUrl({ imageUrls }: AcceptedFiles, { protocol }: URL): boolean {
  return imageUrls?.some((known) => known === protocol) !== false;
}

/** Whether a media type is one of the types, or belongs to a group among them. */
export function acceptsType(types: readonly string[], mimeType: string): boolean {
  return types.some((type) => (type.endsWith("/*") ? mimeType.startsWith(type.slice(0, -1)) : type === mimeType));
}
