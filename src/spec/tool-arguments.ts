// The zod types allowed in a tool's arguments: those every provider's function calling can express. `ToolArgs` is the
// document's own type; `AnyToolArgs` is what we accept: it lets in what zod 4 makes of the same schemas, a union kept in
// a constant (its options are a readonly tuple) and string formats such as `z.email()`.
// The compiler checks the same list on the real schemas; `tool-schema.ts` there and this file change together.

import type {
  z,
  ZodArray,
  ZodBoolean,
  ZodDefault,
  ZodEnum,
  ZodLiteral,
  ZodNull,
  ZodNullable,
  ZodNumber,
  ZodObject,
  ZodOptional,
  ZodRecord,
  ZodString,
  ZodUnion,
} from "zod";

/** A depth minus one, for depths up to ten. */
type Less<D extends number> = [0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9][D] extends infer L extends number ? L : 0;

/** A schema that may stand inside tool arguments; at most `D` levels deep (Standard Agents, tools). */
export type ToolArgsNode<D extends number = 7> =
  | ZodString
  | ZodNumber
  | ZodBoolean
  | ZodNull
  | ZodLiteral<string | number | boolean | null>
  | ZodEnum<Readonly<Record<string, string>>>
  | (D extends 0 ? never : ZodOptional<ToolArgsNode<Less<D>>>)
  | (D extends 0 ? never : ZodNullable<ToolArgsNode<Less<D>>>)
  | (D extends 0 ? never : ZodDefault<ToolArgsNode<Less<D>>>)
  | (D extends 0 ? never : ZodArray<ToolArgsNode<Less<D>>>)
  | (D extends 0 ? never : ZodObject<Record<string, ToolArgsNode<Less<D>>>>)
  | (D extends 0 ? never : ZodRecord<ZodString, ToolArgsNode<Less<D>>>)
  | (D extends 0 ? never : ZodUnion<[ToolArgsNode<Less<D>>, ToolArgsNode<Less<D>>, ...ToolArgsNode<Less<D>>[]]>);

/** The properties of a tool's arguments (Standard Agents, tools). */
export type ToolArgsRawShape<D extends number = 7> = Record<string, ToolArgsNode<D>>;

/** A tool's arguments: a zod object, as function calling demands (Standard Agents, tools). */
export type ToolArgs<D extends number = 7> = z.ZodObject<ToolArgsRawShape<D>>;

type WideLeaf = ToolArgsNode<0> | z.ZodStringFormat;

type WideNested<Inner extends z.ZodType> =
  | ZodOptional<Inner>
  | ZodNullable<Inner>
  | ZodDefault<Inner>
  | ZodArray<Inner>
  | ZodObject<Record<string, Inner>>
  | ZodRecord<ZodString, Inner>
  | ZodUnion<readonly [Inner, Inner, ...Inner[]]>;

type AnyToolArgsNode<D extends number = 7> = WideLeaf | (D extends 0 ? never : WideNested<AnyToolArgsNode<Less<D>>>);

/** Every schema a tool or prompt may take its arguments by; `ToolArgs` is one of them. */
export type AnyToolArgs = z.ZodObject<Record<string, AnyToolArgsNode>>;
