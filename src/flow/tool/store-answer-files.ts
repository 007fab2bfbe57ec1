// Stores parts of tool results and answers as files of the thread: attachments of a result, texts that are too long for a row
// (Standard Agents, ToolResult.attachments; architecture §6), and media that a model generated. If a part cannot be stored, a
// line that the model reads gives the reason, and the rest of the result is kept.

import { attachmentLimit } from "#contract/attachment.ts";
import type { AttachmentRef } from "#contract/attachment.ts";
import type { AnswerFiles } from "#core/ports/answer-file-port.ts";
import { attachmentRef } from "#core/record/attachment-view.ts";
import type { ToolAnswer } from "#core/record/awaited.ts";
import type { StoredPart } from "#core/record/record.ts";
import { resultLimit } from "#core/tools/read-result.ts";
import { cutText, jsonBytes } from "#lib/cut-text.ts";
import { nameOfType } from "#lib/file-name.ts";
import type { FileRecord } from "#spec/index.ts";

import { spillText } from "./spilled-text.ts";
import { storeAttachment } from "./tool-attachment.ts";
import type { AttachmentStore } from "./tool-attachment.ts";

/** The maximum number of bytes of JSON of the notes on attachments in a result. */
const notesLimit = 20_000;

/** Creates the port `AnswerFiles` over the files of a thread. */
export function answerFiles(store: AttachmentStore): AnswerFiles {
  return {
    async keep(answer, { message_id, signal }) {
      const abortable = { ...store, signal };
      // A repeated call has the same path, so it overwrites the file that an interrupted attempt wrote.
      const path = `/attachments/tool-result-${message_id}`;
      const result = await fitText(answer.result, `${path}.txt`, abortable);
      // If a tool fails without an error text, its result is repeated as the error.
      const isRepeated = answer.error === answer.result;
      const error = isRepeated ? result : await fitText(answer.error, `${path}-error.txt`, abortable);
      const spilled = (isRepeated ? [result.file] : [result.file, error.file])
        .filter((file) => file !== null)
        .map((file) => attachmentRef(file, { id: store.newId() }));
      const { refs, notes } = await storeAttachments(
        answer.attachments ?? [],
        attachmentLimit - spilled.length,
        abortable,
      );
      const { attachments: _, ...rest } = answer;
      const attachments = [...spilled, ...refs];
      const shown: ToolAnswer = {
        ...rest,
        ...(result.text === undefined ? {} : { result: result.text }),
        ...(error.text === undefined ? {} : { error: error.text }),
        ...(attachments.length === 0 ? {} : { attachments }),
      };
      return notes === "" ? shown : appendNotes(shown, notes);
    },
    async keepMedia(parts) {
      const stored: StoredPart[] = [];
      for (const part of parts) stored.push(await storeMedia(part, store));
      return stored;
    },
  };
}

/** Stores the bytes of an image, audio or video as a file. The returned part has a reference to this file instead of the bytes. */
async function storeMedia(part: StoredPart, store: AttachmentStore): Promise<StoredPart> {
  if ((part.type !== "image" && part.type !== "file") || part.data === undefined) return part;
  const { mime_type, data } = part;
  const stem = part.type === "image" ? "picture" : (mime_type.split("/")[0] ?? "file");
  const kept = await storeAttachment({ name: nameOfType(stem, mime_type), mimeType: mime_type, data }, store);
  if ("note" in kept) return { type: "text", text: kept.note };
  const { id, path, name, mimeType, size, width, height } = kept.ref;
  return {
    type: part.type,
    mime_type: mimeType,
    path,
    name,
    id,
    size,
    ...(width === undefined ? {} : { width }),
    ...(height === undefined ? {} : { height }),
  };
}

/** Stores the attachments one after the other, so that only one is decoded in memory at a time. */
async function storeAttachments(
  offered: readonly unknown[],
  limit: number,
  store: AttachmentStore,
): Promise<{ refs: AttachmentRef[]; notes: string }> {
  const refs: AttachmentRef[] = [];
  const notes: string[] = [];
  for (const one of offered.slice(0, limit)) {
    const kept = await storeAttachment(one, store);
    if ("ref" in kept) refs.push(kept.ref);
    else notes.push(kept.note);
  }
  const more = offered.length - limit;
  if (more > 0) notes.push(`[${more} more attachments were left out: a result holds ${limit} at most.]`);
  return { refs, notes: cutText(notes.join("\n"), notesLimit) };
}

/** A text that fits into a row, and the file with the whole text if it was too long. */
interface FittedText {
  text: string | undefined;
  file: FileRecord | null;
}

/** Returns the unchanged text if it fits into a row. Otherwise writes it to a file and returns an excerpt. */
async function fitText(text: string | undefined, path: string, store: AttachmentStore): Promise<FittedText> {
  // In JSON a character takes at least one and at most six bytes, so most texts need no counting.
  const fits =
    text === undefined ||
    text.length * 6 + 2 <= resultLimit ||
    (text.length <= resultLimit && jsonBytes(text) <= resultLimit);
  if (fits) return { text, file: null };
  const { excerpt, file } = await spillText(text, path, store);
  return { text: excerpt, file };
}

/** The answer with the notes after the text that the model reads. */
function appendNotes(answer: ToolAnswer, notes: string): ToolAnswer {
  const before = (answer.status === "error" ? answer.error : answer.result) ?? "";
  // Two more bytes for the line break in JSON.
  const text = before === "" ? notes : `${cutText(before, resultLimit - jsonBytes(notes) - 2)}\n${notes}`;
  return answer.status === "error" ? { ...answer, error: text } : { ...answer, result: text };
}
