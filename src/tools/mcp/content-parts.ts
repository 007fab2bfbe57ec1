// Reads the content of a result of a server one block at a time, as parts of a tool's result. A block that cannot be read is left out: a line
// of text says which one and why, and the other blocks stay.

import { fromBase64 } from "#lib/base64.ts";
import { imageType } from "#lib/image-type.ts";
import { isObject, textOrJson } from "#lib/json-value.ts";
import type { Fields } from "#lib/json-value.ts";

import { outsideText, visibleText } from "../outside-text.ts";
import { neededText, readItems, textIn, UnreadableItem } from "./read-items.ts";
import type { OmittedItems } from "./read-items.ts";

/** The maximum length of a name or an address in a line about a resource. */
const lineLimit = 1000;

/** The maximum length of an address. */
const uriLimit = 10_000;

/** The maximum number of blocks of a result that are read. */
const mostBlocks = 1000;

/** The media type of bytes whose type is unknown. */
const anyType = "application/octet-stream";

const noBytes = new Uint8Array();

/** A part of a tool's result. */
export type ContentPart =
  | { type: "text"; text: string }
  | { type: "image" | "file"; data: string; mimeType: string; name?: string };

/** The parts of a result that could be read, and the others. */
export interface ReadParts {
  parts: ContentPart[];
  omitted: OmittedItems;
}

/** Reads the blocks of `content`. A text, or one block, is read like a list with this one block. */
export function readBlocks(content: unknown): ReadParts {
  return partsOf("content", listOfBlocks(content), blockPart);
}

/** Reads the `contents` of a resource. */
export function readResources(contents: unknown): ReadParts {
  return partsOf("contents", isObject(contents) ? [contents] : contents, resourcePart);
}

function partsOf(list: string, given: unknown, read: (item: Fields) => ContentPart): ReadParts {
  const nameOf = ({ type, uri }: Fields): unknown =>
    typeof type === "string" ? `a part of the type "${type}"` : typeof uri === "string" ? uri : null;
  const { items, omitted } = readItems(given, { list, kind: "part", most: mostBlocks, read, nameOf });
  return { parts: items, omitted };
}

function listOfBlocks(content: unknown): unknown {
  if (content === undefined || content === null || Array.isArray(content)) return content;
  // A value of another type becomes a block that cannot be read, so that the structured content stays.
  return [typeof content === "string" ? { type: "text", text: content } : content];
}

function blockPart(block: Fields): ContentPart {
  switch (block["type"]) {
    case "text": {
      const { text } = block;
      if (text === undefined || text === null) throw new UnreadableItem("`text` is no text.");
      return { type: "text", text: visibleText(textOrJson(text)) };
    }
    case "image":
    case "audio":
      return bytesPart(block, "data", block["type"] === "audio" ? "audio" : undefined);
    case "resource_link": {
      const uri = neededText(block, "uri", uriLimit);
      return { type: "text", text: `[resource ${line(textIn(block, "name") ?? "")}: ${line(uri)}]` };
    }
    case "resource":
      if (!isObject(block["resource"])) throw new UnreadableItem("`resource` is no object.");
      return resourcePart(block["resource"]);
    default:
      throw new UnreadableItem("This type is not supported.");
  }
}

function resourcePart(resource: Fields): ContentPart {
  const uri = textIn(resource, "uri") ?? "";
  const text = textIn(resource, "text");
  if (text !== undefined) return { type: "text", text: `[resource ${line(uri)}]\n${visibleText(text)}` };
  if (resource["blob"] === "") return { type: "text", text: `[resource ${line(uri)}]\nIt is empty.` };
  if (resource["blob"] === undefined || resource["blob"] === null)
    throw new UnreadableItem("It has neither `text` nor `blob`.");
  const name = line(
    uri
      .slice(0, uriLimit)
      .split(/[/?#]/)
      .findLast((part) => part !== "") ?? "resource",
  );
  return bytesPart(resource, "blob", name);
}

/** An image or a file of bytes in base64. Bytes without a valid media type are a file. */
function bytesPart(item: Fields, field: string, name: string | undefined): ContentPart {
  const data = base64Of(item[field]);
  if (data === null) throw new UnreadableItem(`\`${field}\` is no base64.`);
  const given = textIn(item, "mimeType") ?? "";
  const isType = /^[\w.+-]+\/[\w.+-]+(?:;.*)?$/s.test(given) && given.length <= 200;
  const mimeType = isType ? given : (imageType(fromBase64(data.slice(0, 32)) ?? noBytes) ?? anyType);
  const type = mimeType.startsWith("image/") ? "image" : "file";
  return { type, data, mimeType, ...(name === undefined ? {} : { name }) };
}

/**
 * Returns the data as base64 of the standard alphabet with padding. Accepts the address form `data:`, line breaks, the alphabet for
 * addresses, and missing padding, which servers send. Null for any other value.
 */
function base64Of(value: unknown): string | null {
  if (typeof value !== "string") return null;
  const plain = value
    .replace(/^data:[^,]{0,200};base64,/i, "")
    .replaceAll(/[\r\n\t ]+/g, "")
    .replaceAll("-", "+")
    .replaceAll("_", "/");
  const [, digits = ""] = /^([A-Za-z0-9+/]*)={0,2}$/.exec(plain) ?? [];
  if (digits === "" || digits.length % 4 === 1) return null;
  return digits.padEnd(Math.ceil(digits.length / 4) * 4, "=");
}

/** Returns a server's text in one line, without hidden characters. */
export function line(text: string): string {
  return outsideText(text, lineLimit).replaceAll(/\s+/g, " ");
}

/** The line of text about the parts that are left out; none if there are none. */
export function omittedLines({ omitted }: ReadParts): ContentPart[] {
  return omitted.count === 0 ? [] : [{ type: "text", text: `[Left out of the result: ${omitted.text}]` }];
}
