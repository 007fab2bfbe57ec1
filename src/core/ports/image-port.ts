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

/** An image, or what opens it: as a stream where it need not fit into memory. It is opened once more when the service failed. */
type ImageSource = Uint8Array | (() => Promise<Uint8Array | ReadableStream<Uint8Array>>);

/** Contract: never rejects; null for what is no image that the service reads, and where there is no service. */
export interface ImagePort {
  size(image: ImageSource): Promise<ImageSize | null>;
  /** Fits the image into a square of `pixels`, as WebP, never enlarged. */
  thumbnail(bytes: Uint8Array, pixels: number): Promise<MadeImage | null>;
  /** Encodes it again so that no side is over `pixels` and the whole under `limit` bytes. */
  shrink(bytes: Uint8Array, bounds: { pixels: number; limit: number }): Promise<MadeImage | null>;
}
