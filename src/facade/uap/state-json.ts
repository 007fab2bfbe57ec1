// The JSON of a state: its schema, its version, and the check that values can be expressed in JSON.

import { z } from "zod";

import { isObject } from "#lib/json-value.ts";
import type { Fields } from "#lib/json-value.ts";

import { objectSchema } from "../upp/block-json.ts";
import { messageSchema, readJSON } from "../upp/message-json.ts";
import { refusal } from "../upp/upp-error.ts";
import type { MessageJSON } from "../upp/upp-message.ts";
import { planSchema } from "./plan-step.ts";
import type { PlanStepJSON } from "./plan-step.ts";
import { traceSchema } from "./subagent-trace.ts";
import type { SubagentExecutionTraceJSON } from "./subagent-trace.ts";

/** The version of UAP in the JSON of states. States of any version 1 can be read. */
export const stateVersion = "1.0.0";

/** A state as JSON. */
export interface AgentStateJSON {
  /** The version of UAP. */
  version: string;
  id: string;
  messages: MessageJSON[];
  step: number;
  metadata: Readonly<Record<string, unknown>>;
  reasoning?: readonly string[];
  plan?: readonly PlanStepJSON[];
  subagentTraces?: readonly SubagentExecutionTraceJSON[];
}

/** The number of a step. */
const stepSchema = z.number().int().nonnegative();

const stateSchema = z.object({
  version: z.string(),
  id: z.string().min(1),
  messages: z.array(messageSchema),
  step: stepSchema,
  metadata: objectSchema,
  reasoning: z.array(z.string()).default([]),
  plan: planSchema.exactOptional(),
  subagentTraces: z.array(traceSchema).exactOptional(),
});

/** Validates and copies the JSON of a state. An error names the path of the first invalid value; the path begins with `name`. */
export function readState(json: unknown, name: string): z.infer<typeof stateSchema> {
  const version = isObject(json) ? json["version"] : undefined;
  if (typeof version === "string" && !/^1(?:\.|$)/.test(version)) {
    throw refusal(
      `The JSON of the ${name} has UAP version ${JSON.stringify(version.slice(0, 40))}, and this package reads version 1. ` +
        `Restore it with a release of the package that reads this version.`,
    );
  }
  return readJSON(stateSchema, copyJSON(json, name), name);
}

/** The maximum nesting of a value. With deeper values, which are errors or attacks, `JSON.stringify` would overflow the stack. */
const maxDepth = 500;

/**
 * Copies a value that has to be JSON. Properties that are undefined are left out. Throws INVALID_REQUEST with the path of the first value
 * that JSON cannot express, because a stored and restored state would not contain the same value.
 */
function copyJSON(value: unknown, name: string, { freeze = false } = {}): unknown {
  const path = [name];

  const refuse = (problem: string): never => {
    const shownPath = path.length > 20 ? [...path.slice(0, 20), "…"] : path;
    throw refusal(`${shownPath.join(".")} ${problem}.`);
  };

  const copyItem = (key: string, item: unknown): unknown => {
    path.push(key.length > 100 ? `${key.slice(0, 100)}…` : key);
    const copied = copy(item);
    path.pop();
    return copied;
  };

  const copyObject = (source: Fields): Fields => {
    const target: Fields = {};
    for (const key of Object.keys(source)) {
      if (source[key] === undefined) continue;
      const item = copyItem(key, source[key]);
      // An assignment to this key would set the prototype of the object.
      if (key === "__proto__")
        Object.defineProperty(target, key, { value: item, enumerable: true, writable: true, configurable: true });
      else target[key] = item;
    }
    return target;
  };

  const copy = (source: unknown): unknown => {
    if (source === null || typeof source === "string" || typeof source === "boolean") return source;
    if (typeof source === "number") {
      if (!Number.isFinite(source)) refuse(`is ${source}, which JSON cannot express`);
      // JSON has no negative zero.
      return source + 0;
    }
    if (typeof source !== "object") return refuse(`is a value of the type ${typeof source}, which JSON cannot express`);
    if (path.length > maxDepth) refuse(`is nested in more than ${maxDepth} levels, or contains itself`);
    const target = Array.isArray(source)
      ? source.map((item: unknown, index) => copyItem(String(index), item))
      : isPlain(source)
        ? copyObject(source)
        : refuse(`is an instance of a class. Store a text, a number, a list or a plain object`);
    return freeze ? Object.freeze(target) : target;
  };

  return copy(value);
}

/** Copies a value that has to be JSON, and freezes the copy with everything in it. */
export function frozenJSON<T>(value: T, name: string): T {
  // The copy has the form of the value.
  return copyJSON(value, name, { freeze: true }) as T;
}

/** Validates a value against a schema, and returns a frozen copy. */
export function readFrozen<T>(schema: z.ZodType<T>, value: unknown, name: string): T {
  return frozenJSON(readJSON(schema, copyJSON(value, name), name), name);
}

function isPlain(value: object): value is Fields {
  const prototype: unknown = Object.getPrototypeOf(value);
  // An object of another realm, such as a test runner's, has another `Object.prototype`. In each realm, the prototype of `Object.prototype` is null.
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}
