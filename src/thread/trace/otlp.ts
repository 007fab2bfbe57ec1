// Spans in OTLP's JSON encoding, as its specification defines it: ids in hexadecimal, whole numbers as text.

import { parseBoundedJson } from "#lib/untrusted/bounded-json.ts";

/** The value of an attribute. Numbers are whole ones; `double` is any number. An absent value is left out. */
type AttributeValue = string | number | boolean | readonly string[] | { double: number } | null | undefined;

/** Attributes of a span by name. */
export type Attributes = Readonly<Record<string, AttributeValue>>;

/** A span. Times are microseconds. */
export interface Span {
  traceId: string;
  spanId: string;
  parentId: string | null;
  name: string;
  /** `client`: a request to another service. */
  kind: "internal" | "client";
  startedAt: number;
  endedAt: number;
  attributes: Attributes;
  /** Whether the work failed. */
  failed: boolean;
}

const kinds = { internal: 1, client: 3 } as const;
const errorStatus = 2;

function valueOf(value: NonNullable<AttributeValue>): object {
  if (typeof value === "string") return { stringValue: value };
  if (typeof value === "boolean") return { boolValue: value };
  if (typeof value === "number") return { intValue: String(Math.round(value)) };
  if ("double" in value) return { doubleValue: value.double };
  return { arrayValue: { values: value.map((entry) => ({ stringValue: entry })) } };
}

function attributesOf(attributes: Attributes): object[] {
  return Object.entries(attributes).flatMap(([key, value]) =>
    value === null || value === undefined ? [] : [{ key, value: valueOf(value) }],
  );
}

const nanoseconds = (at: number): string => `${Math.round(at)}000`;

/** The JSON text of a span. */
export function spanJson(span: Span): string {
  const { traceId, spanId, parentId, name, kind, startedAt, endedAt, attributes, failed } = span;
  return JSON.stringify({
    traceId,
    spanId,
    ...(parentId === null ? {} : { parentSpanId: parentId }),
    name,
    kind: kinds[kind],
    startTimeUnixNano: nanoseconds(startedAt),
    endTimeUnixNano: nanoseconds(Math.max(startedAt, endedAt)),
    attributes: attributesOf(attributes),
    status: failed ? { code: errorStatus } : {},
  });
}

/** The body of an export request. `spans` are JSON texts. */
export function exportBody(
  spans: readonly string[],
  { resource, version }: { resource: Attributes; version: string | null },
): string {
  const service = { "service.version": version, ...resource };
  const scope = { name: "threadhold", ...(version === null ? {} : { version }) };
  return (
    `{"resourceSpans":[{"resource":${JSON.stringify({ attributes: attributesOf(service) })},` +
    `"scopeSpans":[{"scope":${JSON.stringify(scope)},"spans":[${spans.join(",")}]}]}]}`
  );
}

/** Bounds of a collector's answer. */
const answerBounds = { values: 1000, depth: 16 };

/** The number of spans that a collector rejected, according to its answer; 0 for an answer without it. */
export function rejectedSpans(answer: string, sent: number): number {
  try {
    const { partialSuccess } = parseBoundedJson(answer, answerBounds) as {
      partialSuccess?: { rejectedSpans?: string | number };
    };
    const rejected = Number(partialSuccess?.rejectedSpans ?? 0);
    return Number.isFinite(rejected) ? Math.min(Math.max(0, Math.floor(rejected)), sent) : 0;
  } catch {
    return 0;
  }
}
