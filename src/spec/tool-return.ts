// What the function of a tool may return, and the texts of the type errors for everything else. TypeScript shows such a text as the type
// that the function should have, so each text names the right shape.

import type { ToolResult } from "./tool-result-parts.ts";
import type { ToolStreamPart } from "./tool-stream.ts";

/** The type error of a tool whose return value has no JSON. */
export type ToolReturns =
  'A tool returns a string, a JSON value, or { status: "success" | "error", result?: string, error?: string }';

/** The type error of a result with a wrong field. */
export type ToolResultHas =
  'A result is { status: "success" | "error", result?: string, error?: string, stack?, attachments?, content?, value? }';

/** The type error of a generator that yields or returns something else. */
export type ToolYields =
  'A tool yields { type: "delta", delta: string }, { type: "progress", data } or { type: "complete", output }';

type IsAny<T> = 0 extends 1 & T ? true : false;

/** True for `any` and `unknown`: the runtime checks such a value. */
type IsOpen<T> = IsAny<T> extends true ? true : unknown extends T ? true : false;

/** Values that JSON omits or empties. Maps, sets, promises, bytes, responses and generators have a `Symbol.toStringTag`. */
type WithoutJson =
  | ((...values: never[]) => unknown)
  | (abstract new (...values: never[]) => unknown)
  | bigint
  | symbol
  | RegExp
  | Error
  | { readonly [Symbol.toStringTag]: string };

/** The parts of a value that have no JSON, in at most five levels; `never` if every part has. */
type Loss<T, Depth extends readonly 0[] = []> = Depth["length"] extends 5
  ? never
  : IsOpen<T> extends true
    ? never
    : T extends string | number | boolean | null | undefined | void
      ? never
      : T extends { toJSON(...values: never[]): unknown }
        ? never
        : T extends WithoutJson
          ? T
          : T extends readonly (infer Item)[]
            ? Loss<Item, [...Depth, 0]>
            : { [Key in keyof T]-?: Loss<T[Key], [...Depth, 0]> }[keyof T];

/** The fields of an object without those that are always undefined, which TypeScript adds to each type of a union. */
type Present<Value> = { [Key in keyof Value]-?: Value[Key] extends undefined ? never : Key }[keyof Value];

/** The type error of a returned value; `never` for a right one. */
type ValueError<Value> =
  IsOpen<Value> extends true
    ? never
    : Value extends { status: "success" | "error" }
      ? Value extends ToolResult
        ? [Exclude<Present<Value>, keyof ToolResult | "details">] extends [never]
          ? never
          : ToolResultHas
        : ToolResultHas
      : [Loss<Value>] extends [never]
        ? never
        : ToolReturns;

type ReturnError<Returned> =
  IsOpen<Returned> extends true
    ? never
    : Returned extends AsyncIterable<infer Part, infer Last>
      ?
          | ([Part] extends [ToolStreamPart] ? never : ToolYields)
          | (Last extends ToolStreamPart ? never : ValueError<Last>)
      : ValueError<Awaited<Returned>>;

/** `unknown` for a right return type, otherwise the text of the type error. */
export type CheckedReturn<Returned> = [ReturnError<Returned>] extends [never] ? unknown : ReturnError<Returned>;

type AnyValue = ToolResult | string | number | boolean | bigint | symbol | object | null | undefined | void;

/** Every return type. With the types of results in it, TypeScript reads `status: "success"` as that text, not as a string. */
export type AnyReturn = Promise<AnyValue> | AnyValue;

/** The same for the parts of a generator. */
export interface AnyParts extends AsyncIterable<ToolStreamPart, ToolStreamPart | void> {}
