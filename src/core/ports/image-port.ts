// The port of the service that measures and converts images.

/** Width and height in pixels. */
export interface ImageSize {
  width: number;
  height: number;
}

/** A converted image. */
export interface MadeImage extends ImageSize {
  bytes: Uint8Array;
  mimeType: string;
}

/** An image, or a function that opens it, as a stream if it may not fit into memory. The function is called again after a failure. */
type ImageSource = Uint8Array | (() => Promise<Uint8Array | ReadableStream<Uint8Array>>);

/**
 * Contract: never rejects. Returns null if the bytes are no image that the service can read, if there is no service, or if the image cannot
 * be made small enough.
 */
export interface ImagePort {
  size(image: ImageSource): Promise<ImageSize | null>;
  /** Fits the image into a square of `pixels`, as WebP, never enlarged. */
  thumbnail(bytes: Uint8Array, pixels: number): Promise<MadeImage | null>;
  /** Encodes the image again, with no side longer than `pixels` and at most `limit` bytes. */
  shrink(bytes: Uint8Array, bounds: { pixels: number; limit: number }): Promise<MadeImage | null>;
}
