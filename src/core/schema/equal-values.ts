// Compares JSON values by one text for equal values, so that a value is compared with a thousand others in one step. The texts of objects and
// lists are kept for the time of one check.

import type { Json } from "#contract/json.ts";

import { SchemaBoundError } from "./schema-work.ts";
import type { SchemaWork } from "./schema-work.ts";

/** The maximum nesting of a value that is compared. Its text is made by recursion. */
const mostDepth = 1000;

/** A set of JSON values. */
export interface ValueSet {
  has(value: Json): boolean;
}

/** The texts of the values of one check. */
export class EqualValues {
  readonly #work: SchemaWork;
  readonly #texts = new Map<object, string>();

  constructor(work: SchemaWork) {
    this.#work = work;
  }

  /** Creates a set of values. */
  setOf(values: readonly Json[]): ValueSet {
    const keys = new Set(values.map((value) => this.#key(value)));
    let longest = 0;
    for (const value of values) if (typeof value === "string") longest = Math.max(longest, value.length);
    const hasObjects = values.some((value) => typeof value === "object" && value !== null);
    return {
      has: (value) => {
        if (typeof value === "string") {
          if (value.length > longest) return false;
          this.#work.spendText(value.length);
        } else if (typeof value === "object" && value !== null && !hasObjects) {
          return false;
        }
        return keys.has(this.#key(value));
      },
    };
  }

  /** The positions of the first two equal values of a list; null if there are none. */
  firstEqual(values: readonly Json[]): [number, number] | null {
    const seen = new Map<Json, number>();
    for (const [at, value] of values.entries()) {
      if (typeof value === "string") this.#work.spendText(value.length);
      const key = this.#key(value);
      const before = seen.get(key);
      if (before !== undefined) return [before, at];
      seen.set(key, at);
    }
    return null;
  }

  /** Equal for equal values only. A text that is a value has a mark before it, because other keys are texts of JSON. */
  #key(value: Json): Json {
    this.#work.spend(1);
    if (typeof value === "string") return `"${value}`;
    if (typeof value !== "object" || value === null) return value;
    const known = this.#texts.get(value);
    if (known !== undefined) return known;
    const text = this.#text(value, 0);
    this.#texts.set(value, text);
    return text;
  }

  #text(value: Json, depth: number): string {
    if (depth > mostDepth) throw new SchemaBoundError("depth");
    this.#work.spend(2);
    if (typeof value === "string") {
      this.#work.spendText(value.length);
      return JSON.stringify(value);
    }
    if (typeof value !== "object" || value === null) return String(value === 0 ? 0 : value);
    if (Array.isArray(value)) return this.#joined(`[${value.map((item) => this.#text(item, depth + 1)).join(",")}]`);
    const fields = Object.keys(value)
      .toSorted()
      .map((name) => {
        this.#work.spendText(name.length);
        return `${JSON.stringify(name)}:${this.#text(value[name] ?? null, depth + 1)}`;
      });
    return this.#joined(`{${fields.join(",")}}`);
  }

  /** Counts the text of an object or a list, because the text around it contains a copy. */
  #joined(text: string): string {
    this.#work.spendText(text.length);
    return text;
  }
}

/** Whether a number is a multiple of another one, computed with their decimal digits: 0.07 is a multiple of 0.01. */
export function isMultiple(value: number, step: number): boolean {
  if (Number.isSafeInteger(value) && Number.isSafeInteger(step)) return value % step === 0;
  const [first, second] = [decimalOf(value), decimalOf(step)];
  if (first === null || second === null) return false;
  const exponent = Math.min(first.exponent, second.exponent);
  const scaled = ({ digits, exponent: own }: Decimal) => digits * 10n ** BigInt(own - exponent);
  return scaled(first) % scaled(second) === 0n;
}

/** A number as `digits` times ten to the power of `exponent`. */
interface Decimal {
  digits: bigint;
  exponent: number;
}

function decimalOf(value: number): Decimal | null {
  const parts = /^(-?\d+)(?:\.(\d+))?(?:e([+-]\d+))?$/.exec(String(value));
  if (parts === null) return null;
  const [, whole = "0", fraction = "", power = "0"] = parts;
  return { digits: BigInt(whole + fraction), exponent: Number(power) - fraction.length };
}
