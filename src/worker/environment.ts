// Reads settings from the Worker's bindings and variables.

import { imagesBinding, noImages } from "#store/images/images-binding.ts";
import type { FileSettings } from "#thread/deployment.ts";

import type { Environment } from "./bindings.ts";

const mib = 1024 * 1024;

/** Bytes that the files of an object may take. The platform gives an object 10 GB; the rest is for messages. */
const maxFileBytesOfObject = 9_000_000_000;

/** Where the threads of a deployment store their files. Invalid values are replaced by the defaults. */
export function fileSettings(env: Environment): FileSettings {
  const { IMAGES, FILES } = env;
  return {
    images: IMAGES === undefined ? noImages : imagesBinding(IMAGES),
    bucket: FILES ?? null,
    // The part of an upload up to the threshold is buffered in memory.
    bucketThreshold: Math.min(bytes(env.R2_FILE_THRESHOLD, 8 * mib), 16 * mib),
    limit: bytes(env.MAX_FILE_BYTES, 1024 * mib),
    room: maxFileBytesOfObject,
  };
}

function bytes(value: string | undefined, standard: number): number {
  const given = Number(value ?? standard);
  return Number.isSafeInteger(given) && given > 0 ? given : standard;
}
