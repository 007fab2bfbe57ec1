// Stores parts of answers as files of the thread: attachments of a tool's result, texts that are too long for a row (Standard
// Agents, ToolResult.attachments; architecture §6), and pictures that a model made. If a part cannot be stored, a line for the
// model gives the reason, and the rest of the answer is kept.

import { attachmentLimit } from "#contract/attachment.ts";
import type { AttachmentRef } from "#contract/attachment.ts";
import { cutText, jsonBytes } from "#core/cut-text.ts";
import type { AnswerFiles } from "#core/ports/answer-files.ts";
import type { ToolAnswer } from "#core/ports/tool-port.ts";
import type { StoredPart } from "#core/record.ts";
import { resultLimit } from "#core/tools/read-result.ts";
import { nameOfType } from "#lib/file-name.ts";
import type { FileRecord } from "#spec/index.ts";

import { spilledText } from "./spilled-text.ts";
import { attachmentRef, keptAttachment } from "./tool-attachment.ts";
import type { AttachmentStore } from "./tool-attachment.ts";

/** Bytes of JSON that the notes on attachments may take of a result. */
const notesLimit = 20_000;

/** Makes the keeper. */
export function answerFiles(store: AttachmentStore): AnswerFiles {
  return {
    async keep(answer, { message_id, signal }) {
      const own = { ...store, signal };
      // The path is the same when the call is run again: what a cut call wrote is written over.
      const path = `/attachments/tool-result-${message_id}`;
      const result = await fitted(answer.result, `${path}.txt`, own);
      // An error repeats the result where the tool had no other words for it.
      const isRepeated = answer.error === answer.result;
      const error = isRepeated ? result : await fitted(answer.error, `${path}-error.txt`, own);
      const spilled = (isRepeated ? [result.file] : [result.file, error.file])
        .filter((file) => file !== null)
        .map((file) => attachmentRef(file, { id: store.newId() }));
      const { refs, notes } = await keptAttachments(answer.attachments ?? [], attachmentLimit - spilled.length, own);
      const { attachments: _, ...rest } = answer;
      const attachments = [...spilled, ...refs];
      const shown: ToolAnswer = {
        ...rest,
        ...(result.text === undefined ? {} : { result: result.text }),
        ...(error.text === undefined ? {} : { error: error.text }),
        ...(attachments.length === 0 ? {} : { attachments }),
      };
      return notes === "" ? shown : withNotes(shown, notes);
    },
    async keepPictures(parts) {
      const stored: StoredPart[] = [];
      for (const part of parts) stored.push(await keptPicture(part, store));
      return stored;
    },
  };
}

/** The part with a reference to a file in place of a picture's bytes. */
async function keptPicture(part: StoredPart, store: AttachmentStore): Promise<StoredPart> {
  if (part.type !== "image" || part.data === undefined) return part;
  const { mime_type, data } = part;
  const kept = await keptAttachment({ name: nameOfType("picture", mime_type), mimeType: mime_type, data }, store);
  if ("note" in kept) return { type: "text", text: kept.note };
  const { id, path, name, mimeType, size, width, height } = kept.ref;
  return {
    type: "image",
    mime_type: mimeType,
    path,
    name,
    id,
    size,
    ...(width === undefined ? {} : { width }),
    ...(height === undefined ? {} : { height }),
  };
}

/** One after the other: of all that an answer brings, one file at a time is decoded. */
async function keptAttachments(
  offered: readonly unknown[],
  limit: number,
  store: AttachmentStore,
): Promise<{ refs: AttachmentRef[]; notes: string }> {
  const refs: AttachmentRef[] = [];
  const notes: string[] = [];
  for (const one of offered.slice(0, limit)) {
    const kept = await keptAttachment(one, store);
    if ("ref" in kept) refs.push(kept.ref);
    else notes.push(kept.note);
  }
  const more = offered.length - limit;
  if (more > 0) notes.push(`[${more} more attachments were left out: a result holds ${limit} at most.]`);
  return { refs, notes: cutText(notes.join("\n"), notesLimit) };
}

interface Fitted {
  text: string | undefined;
  file: FileRecord | null;
}

/** The text; of one that is too long what is shown of it, and the file that has the whole. */
async function fitted(text: string | undefined, path: string, store: AttachmentStore): Promise<Fitted> {
  // A character takes one byte at least and six at most, so most texts need no counting.
  const fits =
    text === undefined ||
    text.length * 6 + 2 <= resultLimit ||
    (text.length <= resultLimit && jsonBytes(text) <= resultLimit);
  if (fits) return { text, file: null };
  const { shown, file } = await spilledText(text, path, store);
  return { text: shown, file };
}

/** The notes stand behind the text that the model reads. */
function withNotes(answer: ToolAnswer, notes: string): ToolAnswer {
  const said = (answer.status === "error" ? answer.error : answer.result) ?? "";
  // Two more bytes for the line break in JSON.
  const text = said === "" ? notes : `${cutText(said, resultLimit - jsonBytes(notes) - 2)}\n${notes}`;
  return answer.status === "error" ? { ...answer, error: text } : { ...answer, result: text };
}
