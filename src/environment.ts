// The Worker's bindings and variables, as wrangler.toml and `.dev.vars` give them.

import type { Variables } from "#http/dependencies.ts";
import { imagesBinding, noImages } from "#store/images/images-binding.ts";
import type { FileSettings } from "#thread/files/thread-files.ts";

import type { LimitVariables } from "./deployment-limits.ts";

/** What the platform hands to the Worker. Provider keys and addresses come beside these, by the providers' own names. */
export interface Environment extends Variables, LimitVariables {
  [name: string]: unknown;
  THREADS: DurableObjectNamespace;
  FEEDS: DurableObjectNamespace;
  CATALOG: D1Database;
  VERSION?: WorkerVersionMetadata;
  /** What was built of the playground; without it there are no pages. */
  ASSETS?: Fetcher;
  /** Measures images and makes small ones; without it neither is done. */
  IMAGES?: ImagesBinding;
  /** Counts admissions over the isolates of a location besides each isolate's own count; its period is 60 s. */
  ADMISSION_LIMITER?: RateLimit;
  /** Takes large files; without it every file stays in its thread. */
  FILES?: R2Bucket;
  /** Bytes from which on a file goes to `FILES`. 8 MiB when absent, 16 MiB at most. */
  R2_FILE_THRESHOLD?: string;
  /** Bytes a file may have. 1 GiB when absent. */
  MAX_FILE_BYTES?: string;
  /** Comma list of `host`, `host:port`, `*.suffix` that outbound requests may reach inside; none when absent. */
  ALLOWED_OUTBOUND_HOSTS?: string;
  /** Where names are looked up before an outbound request; Cloudflare's resolver when absent. */
  DNS_OVER_HTTPS_URL?: string;
}

const mib = 1024 * 1024;

/** Bytes of an object's storage that files may fill. The platform gives 10 GB; what is left is for messages. */
const fileRoom = 9_000_000_000;

/** Where a deployment's threads keep their files. Values that make no sense keep the defaults. */
export function fileSettings(env: Environment): FileSettings {
  const { IMAGES, FILES } = env;
  return {
    images: IMAGES === undefined ? noImages : imagesBinding(IMAGES),
    bucket: FILES ?? null,
    // What comes before the threshold is gathered in memory.
    bucketThreshold: Math.min(bytes(env.R2_FILE_THRESHOLD, 8 * mib), 16 * mib),
    limit: bytes(env.MAX_FILE_BYTES, 1024 * mib),
    room: fileRoom,
  };
}

/** The values of a deployment's secrets, found by the names of their variables. None of them may appear in the log. */
export function secretsOf(env: Environment): string[] {
  return Object.entries(env).flatMap(([name, value]) => {
    if (typeof value !== "string" || !/(KEY|TOKENS?|SECRET|PASSWORD|CREDENTIALS?)$/i.test(name)) return [];
    // `API_TOKENS` is a list whose entries may end in a user's id.
    const parts = value.split(",").map((entry) => entry.trim());
    return [value.trim(), ...parts, ...parts.map((entry) => entry.slice(0, Math.max(0, entry.lastIndexOf("="))))];
  });
}

function bytes(value: string | undefined, standard: number): number {
  const given = Number(value ?? standard);
  return Number.isSafeInteger(given) && given > 0 ? given : standard;
}
