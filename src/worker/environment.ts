// Reads settings from the Worker's bindings and variables.

import { headerSecrets } from "#lib/trace-settings.ts";
import { imagesBinding, noImages } from "#store/images/images-binding.ts";
import type { FileSettings } from "#thread/files/loaded-thread-files.ts";

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

/** Settings of this package that are no secrets, and may be in `.dev.vars`. */
const ownSettings =
  /^(?:LIMIT_\w+|OTEL_\w+|\w+_BASE_URL|OPEN_LOOPBACK|LOG_TOOL_CALLS|MAX_FILE_BYTES|R2_FILE_THRESHOLD|STEP_CEILING|ALLOWED_ORIGINS|ALLOWED_OUTBOUND_HOSTS|DNS_OVER_HTTPS_URL|JWKS_URL|JWT_AUDIENCE|JWT_ISSUER|WAITING_WEBHOOK_CONTENT)$/;

/**
 * The values of a deployment's secrets. None of them may appear in the log. Names such as `SHOP_KEY` are recognised. With `variables`,
 * the names that the wrangler file declares under `vars`, every other text is a secret too, because definitions can read it.
 */
export function secretsOf(env: Environment, variables?: readonly string[]): string[] {
  return [...headerSecrets(env), ...namedSecrets(env), ...(variables === undefined ? [] : undeclared(env, variables))];
}

function undeclared(env: Environment, variables: readonly string[]): string[] {
  return Object.entries(env).flatMap(([name, value]) =>
    typeof value !== "string" || variables.includes(name) || ownSettings.test(name) ? [] : [value, value.trim()],
  );
}

function namedSecrets(env: Environment): string[] {
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
