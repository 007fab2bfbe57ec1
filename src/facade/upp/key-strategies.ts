// Key strategies of the package entry `threadhold/upp/http`: they choose the API key of each request.

import { refusal } from "./upp-error.ts";

/** Chooses the key of each request, for `config.apiKey`. */
export interface KeyStrategy {
  /** Returns the key of the next request. */
  getKey(): string | Promise<string>;
}

/** Uses the keys one after another, and begins again after the last one. */
export class RoundRobinKeys implements KeyStrategy {
  readonly #keys: readonly string[];
  #next = 0;

  /** Throws INVALID_REQUEST for an empty list. */
  constructor(keys: readonly string[]) {
    if (keys.length === 0) throw refusal("RoundRobinKeys needs at least one key.");
    this.#keys = [...keys];
  }

  getKey(): string {
    const key = this.#keys[this.#next] ?? "";
    this.#next = (this.#next + 1) % this.#keys.length;
    return key;
  }
}

/** A key and its weight. */
export interface WeightedKey {
  key: string;
  weight: number;
}

/** Chooses a key at random for each request, with a probability in proportion to its weight. */
export class WeightedKeys implements KeyStrategy {
  readonly #keys: readonly WeightedKey[];
  readonly #total: number;

  /** Throws INVALID_REQUEST if no key has a weight above 0, or if a weight is negative or not finite. */
  constructor(keys: readonly WeightedKey[]) {
    const invalid = keys.find(({ weight }) => !(weight >= 0 && weight < Infinity));
    if (invalid !== undefined) {
      throw refusal(`The weight of a key has to be a finite number of at least 0; it is ${String(invalid.weight)}.`);
    }
    this.#keys = keys.filter(({ weight }) => weight > 0);
    this.#total = this.#keys.reduce((sum, { weight }) => sum + weight, 0);
    if (this.#keys.length === 0) throw refusal("WeightedKeys needs at least one key with a weight above 0.");
  }

  getKey(): string {
    let at = Math.random() * this.#total;
    for (const { key, weight } of this.#keys) {
      if (at < weight) return key;
      at -= weight;
    }
    return this.#keys.at(-1)?.key ?? "";
  }
}

/** Calls a function that returns the key of a request, for each request. */
export class DynamicKey implements KeyStrategy {
  readonly #choose: () => string | Promise<string>;

  constructor(choose: () => string | Promise<string>) {
    this.#choose = choose;
  }

  getKey(): string | Promise<string> {
    return this.#choose();
  }
}
