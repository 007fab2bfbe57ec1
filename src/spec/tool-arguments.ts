// The zod types that tool arguments may use: those that the function calling of every provider can express. `ToolArgs` is the type
// of Standard Agents. `AnyToolArgs` also accepts what zod 4 makes of the same schemas: unions with readonly options, and string
// formats such as `z.email()`. The compiler's `tool-schema.ts` checks the same list at build time; change both together.

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

/** `D - 1`, for depths up to ten. */
type Decrement<D extends number> = [0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9][D] extends infer L extends number ? L : 0;

/** A schema inside tool arguments, at most `D` levels deep (Standard Agents, tools). */
export type ToolArgsNode<D extends number = 7> =
  | ZodString
  | ZodNumber
  | ZodBoolean
  | ZodNull
  | ZodLiteral<string | number | boolean | null>
  | ZodEnum<Readonly<Record<string, string>>>
  | (D extends 0 ? never : ZodOptional<ToolArgsNode<Decrement<D>>>)
  | (D extends 0 ? never : ZodNullable<ToolArgsNode<Decrement<D>>>)
  | (D extends 0 ? never : ZodDefault<ToolArgsNode<Decrement<D>>>)
  | (D extends 0 ? never : ZodArray<ToolArgsNode<Decrement<D>>>)
  | (D extends 0 ? never : ZodObject<Record<string, ToolArgsNode<Decrement<D>>>>)
  | (D extends 0 ? never : ZodRecord<ZodString, ToolArgsNode<Decrement<D>>>)
  | (D extends 0
      ? never
      : ZodUnion<[ToolArgsNode<Decrement<D>>, ToolArgsNode<Decrement<D>>, ...ToolArgsNode<Decrement<D>>[]]>);

/** The properties of a tool's arguments (Standard Agents, tools). */
export type ToolArgsRawShape<D extends number = 7> = Record<string, ToolArgsNode<D>>;

/** The schema of a tool's arguments: a zod object, as function calling requires (Standard Agents, tools). */
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

type AnyToolArgsNode<D extends number = 7> =
  | WideLeaf
  | (D extends 0 ? never : WideNested<AnyToolArgsNode<Decrement<D>>>);

/** Every schema that a tool or prompt may use for its arguments; includes `ToolArgs`. */
export type AnyToolArgs = z.ZodObject<Record<string, AnyToolArgsNode>>;
