// The files that a message brings, whichever way they were named: image and file parts of its content, then its attachments
// (contract: messages and runs). Each is told by the field it stood in, so that a refusal can name it.

import type { InputAttachment } from "#contract/attachment.ts";
import type { FilePart, ImagePart, InputContent } from "#contract/content.ts";
import type { StoredPart } from "#core/record.ts";

/** Where the bytes are. */
type FileSource = { data: string } | { path: string } | { url: string };

/** One file as it came. */
export interface IncomingFile {
  /** Dotted path of the field in the body. */
  field: string;
  source: FileSource | null;
  name: string | undefined;
  /** Null where only the file, or who serves it, can say. */
  mimeType: string | null;
  /** The kind of part it is stored as; null lets the type of its bytes decide. */
  type: "image" | "file" | null;
}

/** What a message says, in order: words that stay as they are, and files that are to be taken in. */
export type IncomingPart = StoredPart | IncomingFile;

/** What a caller sends of a message. */
export interface MessageInput {
  content: InputContent;
  attachments?: readonly InputAttachment[] | undefined;
}

/** The parts of a message to be; `at` is where it stands in the body, with a dot behind it, or nothing. */
export function incomingParts({ content, attachments = [] }: MessageInput, at: string): IncomingPart[] {
  const said: IncomingPart[] =
    typeof content === "string"
      ? [{ type: "text", text: content }]
      : content.map((part, index) => (part.type === "text" ? part : partFile(part, `${at}content.${index}`)));
  return [...said, ...attachments.map((one, index) => attachedFile(one, `${at}attachments.${index}`))];
}

/** True for a file that is to be taken in. */
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
