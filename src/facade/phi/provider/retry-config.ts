// The attempts of one request and the delays between them (REQ-013, REQ-071).

import { backOffMs } from "#lib/back-off.ts";
import { isObject } from "#lib/json-value.ts";
import { presentFields } from "#lib/present-fields.ts";

import { LoopError } from "../loop-error.ts";
import { checkNames, shown } from "./config-field.ts";

/** The attempts of one request and the delays between them (REQ-013). */
export interface RetryConfig {
  /** Attempts after the first. */
  max_retries: number;
  initial_delay_ms: number;
  backoff_multiplier: number;
  /** The longest delay, before jitter. */
  max_delay_ms: number;
}

/** The default attempts and delays (REQ-013). */
export function defaultRetryConfig(): RetryConfig {
  return { max_retries: 3, initial_delay_ms: 1000, backoff_multiplier: 2, max_delay_ms: 30_000 };
}

/** A config with the defaults for absent fields. Throws a LoopError that names a wrong field. */
export function retryConfigOf(config: Partial<RetryConfig> = {}): RetryConfig {
  const defaults = defaultRetryConfig();
  if (!isObject(config))
    throw new LoopError(`The retry config has to be an object with ${Object.keys(defaults).join(", ")}.`);
  checkNames("retry config", config, Object.keys(defaults));
  const whole: RetryConfig = { ...defaults, ...presentFields(config) };
  const { max_retries, backoff_multiplier } = whole;
  if (!Number.isSafeInteger(max_retries) || max_retries < 0)
    throw wrong("max_retries", max_retries, "a whole number of at least 0");
  for (const name of ["initial_delay_ms", "max_delay_ms"] as const) {
    if (!(Number.isFinite(whole[name]) && whole[name] >= 0)) throw wrong(name, whole[name], "a number of at least 0");
  }
  if (!(Number.isFinite(backoff_multiplier) && backoff_multiplier > 0))
    throw wrong("backoff_multiplier", backoff_multiplier, "a number above 0");
  return whole;
}

function wrong(name: string, value: unknown, expected: string): LoopError {
  return new LoopError(`\`${name}\` of the retry config is ${shown(value)}. It has to be ${expected}.`);
}

/**
 * Milliseconds before the attempt that follows `attempt` failed ones, counted from 1: the initial delay, multiplied for each further attempt,
 * at most the longest, varied by ±20 % (REQ-071). `random` is in [0, 1).
 */
export function delayForAttempt(config: RetryConfig, attempt: number, random: number = Math.random()): number {
  if (!Number.isSafeInteger(attempt) || attempt < 1)
    throw new LoopError(`\`attempt\` is ${shown(attempt)}. It has to be a whole number of at least 1.`);
  const { initial_delay_ms: first, max_delay_ms: longest, backoff_multiplier: growth } = retryConfigOf(config);
  // The factor of a late attempt is infinite.
  if (first === 0) return 0;
  return backOffMs(attempt, { first, longest, growth }, 0.8 + 0.4 * random);
}
