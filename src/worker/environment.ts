// The Worker's bindings and variables, which wrangler.toml and `.dev.vars` define.

import type { Variables } from "#http/dependencies.ts";
import { imagesBinding, noImages } from "#store/images/images-binding.ts";
import type { FileSettings } from "#thread/files/loaded-thread-files.ts";

import type { LimitVariables } from "./deployment-limits.ts";

/** The environment that the platform passes to the Worker. It also has the keys and addresses of providers, under their own names. */
export interface Environment extends Variables, LimitVariables {
  [name: string]: unknown;
  THREADS: DurableObjectNamespace;
  FEEDS: DurableObjectNamespace;
  CATALOG: D1Database;
  VERSION?: WorkerVersionMetadata;
  /** The built playground. Without it there are no pages. */
  ASSETS?: Fetcher;
  /** Reads the size of images and makes thumbnails. Without it there are neither. */
  IMAGES?: ImagesBinding;
  /** Counts admissions across the isolates of a location, in addition to each isolate's own count. Its period is 60 s. */
  ADMISSION_LIMITER?: RateLimit;
  /** Stores large files. Without it every file is stored in its thread. */
  FILES?: R2Bucket;
  /** The size in bytes from which a file is stored in `FILES`. Default 8 MiB, at most 16 MiB. */
  R2_FILE_THRESHOLD?: string;
  /** The largest file in bytes. Default 1 GiB. */
  MAX_FILE_BYTES?: string;
  /** Comma-separated list of internal hosts that outbound requests may use: `host`, `host:port` or `*.suffix`. Default: none. */
  ALLOWED_OUTBOUND_HOSTS?: string;
  /** The resolver for the names of outbound requests. Default: Cloudflare's. */
  DNS_OVER_HTTPS_URL?: string;
}

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

/** The values of a deployment's secrets, recognised by the names of their variables. None of them may appear in the log. */
export function secretsOf(env: Environment): string[] {
  return Object.entries(env).flatMap(([name, value]) => {
    if (typeof value !== "string" || !/(KEY|TOKENS?|SECRET|PASSWORD|CREDENTIALS?)$/i.test(name)) return [];
    // `API_TOKENS` is a list whose entries may end with a user's id.
    const parts = value.split(",").map((entry) => entry.trim());
    return [value.trim(), ...parts, ...parts.map((entry) => entry.slice(0, Math.max(0, entry.lastIndexOf("="))))];
  });
}

function bytes(value: string | undefined, standard: number): number {
  const given = Number(value ?? standard);
  return Number.isSafeInteger(given) && given > 0 ? given : standard;
}
