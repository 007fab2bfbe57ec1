// Plain deltas of Google's Gemini API. Its chunks have no type, and each of them has token counts.

import { isObject, type Fields } from "#lib/json-value.ts";

import { google } from "../google.ts";
import {
  checks,
  isAccepted,
  isAny,
  isNull,
  isNumber,
  isOnly,
  isString,
  onlyObject,
  parsedEvent,
  type PlainDelta,
  type PlainWire,
} from "./plain-delta.ts";

const detailFields = checks({ modality: isString, tokenCount: isNumber });

/** Token counts by the kind of content. */
function areDetails(value: unknown): boolean {
  const isWhole = (entry: unknown): boolean =>
    isObject(entry) && Object.keys(entry).length === detailFields.size && isAccepted(entry, detailFields);
  return Array.isArray(value) && value.every(isWhole);
}

const usageFields = checks({
  cachedContentTokenCount: isNumber,
  thoughtsTokenCount: isNumber,
  promptTokenCount: isNumber,
  candidatesTokenCount: isNumber,
  toolUsePromptTokenCount: isNumber,
  totalTokenCount: isNumber,
  trafficType: isString,
  serviceTier: isString,
  promptTokensDetails: areDetails,
  cacheTokensDetails: areDetails,
  candidatesTokensDetails: areDetails,
  toolUsePromptTokensDetails: areDetails,
});

const chunkFields = checks({
  candidates: Array.isArray,
  usageMetadata: (value) => isObject(value) && isAccepted(value, usageFields),
  modelVersion: isString,
  responseId: isString,
  createTime: isString,
});

const candidateFields = checks({ content: isObject, index: isOnly(0), finishReason: isNull });
const contentFields = checks({ parts: Array.isArray, role: isString });
const partFields = checks({ text: isString, thought: isAny(isOnly(true), isOnly(false)) });

function partOf(value: Fields): { candidate: Fields; content: Fields; part: Fields } | null {
  const candidate = onlyObject(value["candidates"]);
  const content = candidate?.["content"];
  const part = isObject(content) ? onlyObject(content["parts"]) : null;
  return candidate !== null && isObject(content) && part !== null ? { candidate, content, part } : null;
}

function read(data: string): PlainDelta | null {
  if (!data.includes('"text"')) return null;
  const value = parsedEvent(data);
  const found = value === null ? null : partOf(value);
  if (value === null || found === null) return null;
  const { candidate, content, part } = found;
  const isPlain =
    isAccepted(value, chunkFields) &&
    isAccepted(candidate, candidateFields) &&
    isAccepted(content, contentFields) &&
    isAccepted(part, partFields);
  const delta = part["text"];
  if (!isPlain || typeof delta !== "string" || delta === "") return null;
  const kind = part["thought"] === true ? "reasoning" : "text";
  return { kind, key: kind, delta, value, facts: google.readChunk(value) };
}

function withDelta({ value }: PlainDelta, text: string): Fields {
  const { candidate, content, part } = partOf(value) ?? { candidate: {}, content: {}, part: {} };
  return { ...value, candidates: [{ ...candidate, content: { ...content, parts: [{ ...part, text }] } }] };
}

/** Google's Gemini API. */
export const plainGoogle: PlainWire = { read, withDelta };
