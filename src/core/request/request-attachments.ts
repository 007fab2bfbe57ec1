// Converts the files that messages refer to for a model request: recent images and documents become bytes, short text files become
// text, and others become a line (decisions 16, 19: old images, capabilities of models). Files are read when a step is prepared, newest
// message first, and within a budget, so that a request fits into an object's memory.

import type { AnyModelDefinition } from "#spec/index.ts";

import type { ModelMessage } from "../ports/model-port.ts";
import type { ThreadFiles } from "../ports/thread-file-port.ts";
import { partOf } from "../record/attachment-view.ts";
import type { StoredPart } from "../record/record.ts";
import { AttachmentBudget } from "./attachment-budget.ts";
import { resultWithText } from "./request-messages.ts";
import { fileLine, sentAs, sentFile } from "./sent-file.ts";
import type { FileReference } from "./sent-file.ts";

/** The number of recent messages whose images are sent if the prompt sets none (Standard Agents, recentImageThreshold). */
export const defaultRecent = 10;

/** The data that decides how files are sent. */
export interface AttachmentView {
  /** The thread's files. If undefined, each file is sent as a line of text with its name. */
  files: ThreadFiles | undefined;
  /** The models that the request may go to. If none of them accepts images, no image is read. */
  models: readonly AnyModelDefinition[];
  /** The prompt's `recentImageThreshold`: messages, counted from the end. */
  recent: number | undefined;
  /** Index of the first message whose files are sent, in place of `recent`. */
  from?: number | undefined;
}

/** The messages with the contents of their files. The stored records are not changed. */
export async function withAttachments(
  messages: readonly ModelMessage[],
  { files, models, recent = defaultRecent, from }: AttachmentView,
): Promise<ModelMessage[]> {
  const budget = new AttachmentBudget();
  const hasVision = models.some((model) => model.capabilities?.vision !== false);
  const sent = [...messages];
  for (let at = messages.length - 1; at >= 0; at -= 1) {
    const message = messages[at];
    // Most messages have no files, and awaiting each of them takes a large part of a long step.
    if (message === undefined || !hasFiles(message)) continue;
    const isRecent = from === undefined ? messages.length - at <= recent : at >= from;
    sent[at] = await withFiles(message, (part) => {
      const as = sentAs(part);
      const isText = as === "text" && message.role === "user" && (from === undefined || isRecent);
      const isSent = as === "text" ? isText : isRecent && canContain(message, as, hasVision);
      if (files === undefined || as === "line" || !isSent) return fileLine(part);
      return sentFile(part, as, { files, budget });
    });
  }
  return sent;
}

/**
 * Index of the first message from which on all files fit a share of the request's attachment budget; at least `from`. A file without a
 * known size counts as empty, and a file that is sent as a line of text in any case counts nothing.
 */
export function firstWithFiles(messages: readonly ModelMessage[], from: number, share = 1): number {
  const budget = new AttachmentBudget(share);
  for (let at = messages.length - 1; at >= from; at -= 1) {
    const message = messages[at];
    if (message === undefined || !hasFiles(message)) continue;
    const parts = [...message.parts, ...(message.result?.attachments ?? []).map(partOf)];
    for (const part of parts.filter(isReference)) {
      const as = sentAs(part);
      if (as === "line" || (as === "text" && message.role !== "user")) continue;
      const kind = as === "text" ? "text" : "binary";
      const { size = 0 } = part;
      // A file that exceeds the whole budget is always sent as a line of text, so it takes nothing from the budget.
      if (!new AttachmentBudget().has(kind, size)) continue;
      if (!budget.has(kind, size)) return at + 1;
      budget.take(kind, size);
    }
  }
  return from;
}

function hasFiles({ parts, result }: ModelMessage): boolean {
  // A loop without a closure, because each step calls this function twice for each of its messages.
  for (const part of parts) if (isReference(part)) return true;
  return result?.attachments !== undefined;
}

/**
 * Whether a message may contain the bytes of a file: an image in a user's message or a tool result, a document only in a user's message.
 */
function canContain({ role }: ModelMessage, as: "image" | "document" | "line", sees: boolean): boolean {
  if (as === "image") return sees && (role === "user" || role === "tool");
  return role === "user";
}

type Send = (part: FileReference) => StoredPart | Promise<StoredPart>;

async function withFiles(message: ModelMessage, send: Send): Promise<ModelMessage> {
  const { result } = message;
  const parts = await sentParts(message.parts, send);
  if (result?.attachments === undefined) return parts === message.parts ? message : { ...message, parts };
  // A model reads a tool's result as text, so lines about files are appended to that text. Images are separate parts.
  const attached = await sentParts(result.attachments.map(partOf), send);
  const resultText = (result.status === "error" ? result.error : result.result) ?? "";
  const lines = attached.flatMap((part) => (part.type === "text" ? [part.text] : []));
  const text = [resultText, ...lines].filter((each) => each !== "").join("\n");
  return {
    ...message,
    parts: [...parts, ...attached.filter((part) => part.type !== "text")],
    result: resultWithText(result, text),
  };
}

/** Replaces the parts that refer to a file. Returns the same list if there are none. */
async function sentParts(parts: StoredPart[], send: Send): Promise<StoredPart[]> {
  if (!parts.some(isReference)) return parts;
  const sent: StoredPart[] = [];
  for (const part of parts) sent.push(isReference(part) ? await send(part) : part);
  return sent;
}

function isReference(part: StoredPart): part is StoredPart & FileReference {
  return (part.type === "image" || part.type === "file") && part.path !== undefined && part.data === undefined;
}
