// Fits a chunk of an answer to the fields that a package of the AI SDK reads. A package refuses a whole chunk, and with it the answer, if one
// field has another type than the package expects, also a field that nothing here reads. So a value of another type is converted, replaced or
// left out. Invariant: a chunk whose fields have the expected types is returned unchanged, and fields without a rule stay.

import { isObject, type Fields } from "#lib/json-value.ts";

/** Returns the value as the package accepts it; undefined if it does not fit. */
export type Fit = (value: unknown) => unknown;

/** Any value. With `or` it replaces null only, so that content of another type stays an error. */
export const any: Fit = (value) => value;

/** The rule for a field that must not be null or absent. Without `otherwise`, an object whose field does not fit is left out. */
interface Needed {
  fit: Fit;
  otherwise?: unknown;
  leavesOut: boolean;
}

export const text: Fit = (value) =>
  typeof value === "string" ? value : typeof value === "number" ? String(value) : undefined;

export const number: Fit = (value) => {
  if (typeof value === "number") return value;
  const isNumeric = typeof value === "string" && value.trim() !== "" && Number.isFinite(Number(value));
  return isNumeric ? Number(value) : undefined;
};

export const flag: Fit = (value) => (typeof value === "boolean" ? value : undefined);

export const oneOf =
  (...names: string[]): Fit =>
  (value) =>
    names.includes(value as string) ? value : undefined;

/** A value in place of null, of an absent value, and of one that does not fit. The field is left out if it is undefined. */
export const or = (fit: Fit, otherwise?: unknown): Needed => ({ fit, otherwise, leavesOut: false });

/** A field without which its object is left out. */
export const needed = (fit: Fit): Needed => ({ fit, leavesOut: true });

/** A list without the entries that do not fit. */
export const list =
  (fit: Fit): Fit =>
  (value) => {
    if (!Array.isArray(value)) return undefined;
    const given = value as unknown[];
    const fitted = given.map((entry) => (entry === null ? undefined : fit(entry)));
    if (fitted.every((entry, at) => entry !== undefined && entry === given[at])) return given;
    return fitted.filter((entry) => entry !== undefined);
  };

/** An object whose named fields fit. Null stays, unless the field is needed. */
export const object = (rules: Readonly<Record<string, Fit | Needed>>): Fit => {
  const names = Object.entries(rules).map(
    ([name, rule]) =>
      [name, typeof rule === "function" ? null : rule, typeof rule === "function" ? rule : rule.fit] as const,
  );
  return (value) => {
    if (!isObject(value)) return undefined;
    let result: Fields = value;
    for (const [name, need, fit] of names) {
      const given = value[name];
      if ((given === undefined || given === null) && need === null) continue;
      const fitted = (given === undefined || given === null ? undefined : fit(given)) ?? need?.otherwise;
      if (fitted === undefined && need?.leavesOut === true) return undefined;
      if (fitted === given) continue;
      if (result === value) result = { ...value };
      if (fitted === undefined) Reflect.deleteProperty(result, name);
      else result[name] = fitted;
    }
    return result;
  };
};

/** An object whose shape its field `type` names. Objects of other types stay. */
export const byType =
  (shapes: ReadonlyMap<unknown, Fit>): Fit =>
  (value) =>
    isObject(value) ? (shapes.get(value["type"]) ?? any)(value) : undefined;
