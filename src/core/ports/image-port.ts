// What a thread asks of an image service.

/** Width and height in pixels. */
export interface ImageSize {
  width: number;
  height: number;
}

/** An image that was made. */
export interface MadeImage extends ImageSize {
  bytes: Uint8Array;
  mimeType: string;
}

/** Contract: never rejects; null for what is no image that the service reads, and where there is no service. */
export interface ImagePort {
  /** Takes a stream too, which need not fit into memory. */
  size(image: Uint8Array | ReadableStream<Uint8Array>): Promise<ImageSize | null>;
  /** Fits the image into a square of `pixels`, as WebP, never enlarged. */
  thumbnail(bytes: Uint8Array, pixels: number): Promise<MadeImage | null>;
  /** Encodes it again so that no side is over `pixels` and the whole under `limit` bytes. */
  shrink(bytes: Uint8Array, bounds: { pixels: number; limit: number }): Promise<MadeImage | null>;
}
