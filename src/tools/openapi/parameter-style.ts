// The styles of parameters (OpenAPI 3.1, Style Values; RFC 6570): values of arguments as texts of a request.

import { isJsonObject, type Json } from "#contract/json.ts";

/** How a value is written. */
export interface Style {
  style: string;
  explode: boolean;
  allowReserved: boolean;
}

/** Encodes a text for a part of a URL, so that it cannot end the part. */
export function encoded(text: string, allowReserved = false): string {
  const all = encodeURIComponent(text.toWellFormed()).replaceAll(/[!'()*]/g, (character) => {
    return `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
  });
  // `#` and `&` would end the value.
  return allowReserved
    ? all.replaceAll(/%(?:3A|2F|3F|5B|5D|40|21|24|27|28|29|2A|2B|2C|3B|3D)/g, decodeURIComponent)
    : all;
}

/** A value without inner values as text. */
export function plainText(value: Json): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** The value of a variable in a path, encoded. */
export function pathValue(name: string, value: Json, { style, explode }: Style): string {
  if (style === "label") return `.${joined(value, { explode, separator: explode ? "." : ",", pair: "=" })}`;
  if (style !== "matrix") return joined(value, { explode, separator: ",", pair: "=" });
  const key = encoded(name);
  if (explode && Array.isArray(value)) return value.map((each) => `;${key}=${encoded(plainText(each))}`).join("");
  if (explode && isJsonObject(value)) return `;${joined(value, { explode, separator: ";", pair: "=" })}`;
  return `;${key}=${joined(value, { explode, separator: ",", pair: "=" })}`;
}

/** The value of a header, which is not encoded. */
export function headerValue(value: Json, { explode }: Pick<Style, "explode">): string {
  return joined(value, { explode, separator: ",", pair: "=", encode: (text) => text });
}

const separators: Partial<Record<string, string>> = { spaceDelimited: "%20", pipeDelimited: "%7C" };

/** The pairs of a query, as encoded texts `name=value`. The field `name` of a pair is the name without encoding. */
export function queryPairs(
  name: string,
  value: Json,
  { style, explode, allowReserved }: Style,
): { name: string; text: string }[] {
  const pair = (key: string, text: string) => ({ name: key, text: `${encoded(key)}=${text}` });
  const write = (text: Json) => encoded(plainText(text), allowReserved);
  if (style === "deepObject" && typeof value === "object") return deepPairs(name, value, pair);
  if (Array.isArray(value)) {
    if (explode) return value.map((each) => pair(name, write(each)));
    return [pair(name, value.map(write).join(separators[style] ?? ","))];
  }
  if (!isJsonObject(value)) return [pair(name, write(value))];
  const entries = Object.entries(value).filter(([, inner]) => inner !== null);
  if (explode && separators[style] === undefined) return entries.map(([key, inner]) => pair(key, write(inner)));
  return [pair(name, entries.flatMap(([key, inner]) => [encoded(key), write(inner)]).join(separators[style] ?? ","))];
}

/** `name[key][inner]=value`. Elements of lists have their index as key. */
function deepPairs(
  name: string,
  value: Json,
  pair: (key: string, text: string) => { name: string; text: string },
): { name: string; text: string }[] {
  if (value === null) return [];
  if (typeof value !== "object") return [pair(name, encoded(plainText(value)))];
  return Object.entries(value).flatMap(([key, inner]) => deepPairs(`${name}[${key}]`, inner, pair));
}

interface Joining {
  explode: boolean;
  separator: string;
  /** Between a key and its value, if the object is exploded. */
  pair: string;
  encode?: (text: string) => string;
}

function joined(value: Json, { explode, separator, pair, encode = (text) => encoded(text) }: Joining): string {
  const write = (inner: Json) => encode(plainText(inner));
  if (Array.isArray(value)) return value.map(write).join(separator);
  if (!isJsonObject(value)) return write(value);
  const entries = Object.entries(value).filter(([, inner]) => inner !== null);
  return entries.map(([key, inner]) => `${encode(key)}${explode ? pair : separator}${write(inner)}`).join(separator);
}
