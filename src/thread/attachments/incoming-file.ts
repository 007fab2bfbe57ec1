// Reads the files of a posted message: the image and file parts of its content, then its attachments (contract: messages and runs). Each
// file has the path of its field in the body, so that an error can name it.

import type { FilePart, ImagePart, InputContent } from "#contract/content.ts";
import type { InputAttachment } from "#contract/input-attachment.ts";
import type { StoredPart } from "#core/record/record.ts";

/** The source of a file's bytes: inline as base64, a file of the thread, or a URL. */
type FileSource = { data: string } | { path: string } | { url: string };

/** One file of a posted message. */
export interface IncomingFile {
  /** Dotted path of the field in the body. */
  field: string;
  source: FileSource | null;
  name: string | undefined;
  /** The declared media type; null if only the file or the response of its URL has one. */
  mimeType: string | null;
  /** The type of part as which the file is stored; null: the media type of the file decides. */
  type: "image" | "file" | null;
}

/** A part of a posted message: text, which is stored unchanged, or a file, which has to be stored in the thread first. */
export type IncomingPart = StoredPart | IncomingFile;

/** The content and attachments of a posted message. */
export interface MessageInput {
  content: InputContent;
  attachments?: readonly InputAttachment[] | undefined;
}

/**
 * The parts of a posted message. `at` is the path of the message in the request's body, with a final dot; empty if the body is the message.
 */
export function incomingParts({ content, attachments = [] }: MessageInput, at: string): IncomingPart[] {
  const said: IncomingPart[] =
    typeof content === "string"
      ? [{ type: "text", text: content }]
      : content.map((part, index) => (part.type === "text" ? part : partFile(part, `${at}content.${index}`)));
  return [...said, ...attachments.map((one, index) => attachedFile(one, `${at}attachments.${index}`))];
}

/** True for a file that has to be stored in the thread. */
export function isIncomingFile(part: IncomingPart): part is IncomingFile {
  return "field" in part;
}

function partFile(part: ImagePart | FilePart, field: string): IncomingFile {
  const { type, name, mime_type: mimeType, data, path, url } = part;
  const sources: FileSource[] = [
    ...(data === undefined ? [] : [{ data }]),
    ...(path === undefined ? [] : [{ path }]),
    ...(url === undefined ? [] : [{ url }]),
  ];
  const [source = null] = sources.length === 1 ? sources : [];
  return { field, source, name, mimeType, type };
}

function attachedFile(one: InputAttachment, field: string): IncomingFile {
  if ("data" in one) {
    return { field, source: { data: one.data }, name: one.name, mimeType: one.mime_type, type: null };
  }
  if ("path" in one) return { field, source: { path: one.path }, name: undefined, mimeType: null, type: null };
  return { field, source: { url: one.url }, name: one.name, mimeType: null, type: null };
}
