// The parts of a tool's result: texts, images and files. A thread stores images and files as files of the thread. In a process without
// files the call's message contains their bytes.

import { z } from "zod";

import { attachmentLimit, mimeTypeSchema } from "#contract/attachment.ts";
import { isObject } from "#lib/json-value.ts";

import type { ToolAnswer } from "../record/awaited.ts";
import type { StoredPart } from "../record/record.ts";

const textSchema = z.object({ type: z.literal("text"), text: z.string() });

/** The line that a model reads in place of parts that cannot be read. Its length does not grow with the number of parts. */
function leftOut(count: number): string {
  const what = count === 1 ? "A part of the result was" : `${count} parts of the result were`;
  return `[${what} left out: a part is {type: "text", text}, or {type: "image" or "file", data, mimeType} with data in base64.]`;
}

/**
 * Splits the parts into texts and attachments, both in their order. Parts of another form become one note with the reason, which is the text
 * after all others.
 */
export function readContent(content: unknown): { texts: string[]; files: unknown[]; notes: string[] } {
  const texts: string[] = [];
  const files: unknown[] = [];
  let unread = 0;
  for (const part of content == null ? [] : Array.isArray(content) ? (content as unknown[]) : [content]) {
    const text = read(() => textSchema.safeParse(part).data?.text);
    const file = text === undefined ? read(() => attachmentOf(part)) : undefined;
    if (text !== undefined) texts.push(text);
    else if (file !== undefined) files.push(file);
    else unread += 1;
  }
  return { texts, files, notes: unread === 0 ? [] : [leftOut(unread)] };
}

/** The part as an attachment; undefined if it is neither an image nor a file. The attachment's data is checked when it is stored. */
function attachmentOf(part: unknown): unknown {
  if (!isObject(part) || (part["type"] !== "image" && part["type"] !== "file")) return undefined;
  const { type: _, name = "", ...file } = part;
  return { ...file, name };
}

/** A getter of a part may throw. */
function read<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}

const bytesSchema = z.object({
  name: z.string().transform((name) => name || undefined),
  mimeType: mimeTypeSchema,
  data: z
    .string()
    .transform((data) => data.replace(/^data:[^,]{0,200};base64,/i, ""))
    .pipe(z.base64()),
});

/**
 * The result without its attachments, and its images and files as parts of the call's message. References to files are dropped, because the
 * process has none. An attachment that cannot be read becomes a line of the text.
 */
export function filesInMessage({ attachments = [], ...answer }: ToolAnswer): {
  answer: ToolAnswer;
  files: StoredPart[];
} {
  const files: StoredPart[] = [];
  let unread = 0;
  for (const one of attachments.slice(0, attachmentLimit)) {
    const { data: file } = bytesSchema.safeParse(one);
    if (file !== undefined) files.push(partOf(file));
    else if (isObject(one) && "data" in one) unread += 1;
  }
  const notes = unread === 0 ? [] : [leftOut(unread)];
  const more = attachments.length - attachmentLimit;
  if (more > 0) notes.push(`[${more} more attachments were left out: a result holds ${attachmentLimit} at most.]`);
  return { answer: notes.length === 0 ? answer : withNotes(answer, notes), files };
}

function partOf({ name, mimeType: mime_type, data }: z.infer<typeof bytesSchema>): StoredPart {
  const type = mime_type.startsWith("image/") ? "image" : "file";
  return { type, mime_type, data, ...(name === undefined ? {} : { name }) };
}

function withNotes(answer: ToolAnswer, notes: string[]): ToolAnswer {
  const field = answer.status === "error" ? "error" : "result";
  return { ...answer, [field]: [answer[field] ?? "", ...notes].filter((text) => text !== "").join("\n") };
}
