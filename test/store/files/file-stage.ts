// A thread's files for a test, over given rows: with a clock that advances, no images, and no bucket by default.

import type { ThreadFiles } from "#core/ports/thread-file-port.ts";
import type { FileRows } from "#store/files/file-rows.ts";
import { createFileSystem } from "#store/files/file-system.ts";
import type { FileSystemParts, ManagedThreadFiles } from "#store/files/file-system.ts";
import { noImages } from "#store/images/images-binding.ts";

import { testClock } from "../../worker/clock.ts";

/** The environment of a suite. */
export type WithRows = (work: (rows: FileRows) => Promise<void>) => Promise<void>;

/** The type of a text file. */
export const plain = { mimeType: "text/plain" };

/** Bytes of one stored chunk. */
export const chunk = 1_835_008;

/** The files, and how often they reported that a sweep is needed. */
export function stage(
  rows: FileRows,
  parts: Partial<FileSystemParts> = {},
): { files: ManagedThreadFiles; calls: () => number } {
  let calls = 0;
  let now = 1_000_000;
  const clock = { ...testClock, now: () => (now += 1) };
  const onGarbage = () => void (calls += 1);
  const files = createFileSystem({
    rows,
    images: noImages,
    clock,
    limit: 64 * chunk,
    room: Infinity,
    bucket: null,
    onGarbage,
    ...parts,
  });
  return { files, calls: () => calls };
}

/** Bytes that differ at every position, so that no two chunks are equal. */
export function pattern(length: number, seed = 1): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(length);
  let state = seed;
  for (let at = 0; at < length; at += 1) {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    bytes[at] = state >>> 16;
  }
  return bytes;
}

/** The bytes as a stream of pieces of the given sizes, repeated. */
export function streamOf(bytes: Uint8Array, sizes: readonly number[] = [65_536]): ReadableStream<Uint8Array> {
  let at = 0;
  let turn = 0;
  return new ReadableStream<Uint8Array>({
    pull(controller) {
      if (at >= bytes.byteLength) {
        controller.close();
        return;
      }
      const end = at + (sizes[turn % sizes.length] ?? 1);
      turn += 1;
      controller.enqueue(bytes.slice(at, end));
      at = end;
    },
  });
}

/** All bytes of a stream. */
export async function bytesOf(stream: ReadableStream<Uint8Array>): Promise<Uint8Array> {
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** The text of a file; null if there is none. */
export async function textOf(files: ThreadFiles, path: string): Promise<string | null> {
  const bytes = await files.read(path);
  return bytes === null ? null : new TextDecoder().decode(bytes);
}

/** Compares bytes quickly, without printing millions of them if they differ. */
export function same(left: Uint8Array | null, right: Uint8Array): boolean {
  if (left === null || left.byteLength !== right.byteLength) return false;
  return left.every((byte, at) => byte === right[at]);
}

/** The code with which a call is refused; fails if it is not refused. */
export async function codeOf(call: Promise<unknown>): Promise<string> {
  const outcome = await call.then(
    () => "not refused",
    (thrown: unknown) => thrown,
  );
  return typeof outcome === "string" ? outcome : String((outcome as { code?: string }).code ?? outcome);
}
