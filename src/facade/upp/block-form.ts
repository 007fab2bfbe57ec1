// Checks the form of content blocks, because a program in JavaScript may create them in a wrong form. Only the code of providers imports
// this file.

import { isObject } from "#lib/json-value.ts";

import type { AnyMessage } from "./upp-message.ts";

/** Returns the reason why the content of a message is not a list of blocks; null if it is. */
export function problemOfForm(message: AnyMessage): string | null {
  const blocks: readonly unknown[] = message.type === "tool_result" ? [] : message.content;
  for (const [index, block] of blocks.entries()) {
    const problem = problemOfBlock(block);
    if (problem !== null) return `block ${index + 1} of its content is invalid: ${problem}`;
  }
  return null;
}

function problemOfBlock(block: unknown): string | null {
  if (!isObject(block)) return "it is not an object with a type";
  const { type, text, mimeType, source, data } = block;
  if (type === "text" || type === "reasoning") return typeof text === "string" ? null : "its text has to be a text";
  const isFile = type === "audio" || type === "video" || type === "binary";
  if (!isFile && type !== "image" && type !== "document")
    return `there is no type ${JSON.stringify(type) ?? "undefined"}`;
  if (typeof mimeType !== "string") return `the mimeType of ${type} has to be a text, such as "image/png"`;
  for (const name of ["width", "height", "duration"]) {
    const { [name]: number } = block;
    if (number !== undefined && !Number.isFinite(number)) return `its ${name} has to be a finite number`;
  }
  if (!isFile) return problemOfSource(type, source);
  return data instanceof Uint8Array ? null : `the data of ${type} has to be a Uint8Array; it is ${kindOf(data)}`;
}

function problemOfSource(type: "image" | "document", source: unknown): string | null {
  const forms = type === "image" ? ["base64", "url", "bytes"] : ["base64", "url", "text"];
  if (!isObject(source) || !forms.includes(source["type"] as string))
    return `the source of ${type} has to be an object with the type ${forms.join(", ")}`;
  const { type: form, data, url } = source;
  if (form === "bytes")
    return data instanceof Uint8Array ? null : `the data of its source has to be a Uint8Array; it is ${kindOf(data)}`;
  const content = form === "url" ? url : data;
  if (typeof content !== "string")
    return `the ${form === "url" ? "url" : "data"} of its source has to be a text; it is ${kindOf(content)}`;
  if (form === "base64" && !/^[A-Za-z\d+/\s]*(?:={1,2}\s*)?$/.test(content))
    return "the data of its source is not base64";
  return null;
}

/** The kind of a value in an error, such as "ArrayBuffer". */
function kindOf(value: unknown): string {
  return value instanceof ArrayBuffer
    ? "an ArrayBuffer: pass new Uint8Array(data)"
    : Object.prototype.toString.call(value).slice("[object ".length, -1).toLowerCase();
}
