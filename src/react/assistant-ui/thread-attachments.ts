// Attachments of assistant-ui's composer as files of a thread: a file is uploaded when its message is sent, and the message contains the
// file's address.

import type { AttachmentAdapter, CompleteAttachment, PendingAttachment } from "@assistant-ui/react";

import type { ThreadHandle } from "#client/index.ts";

import { filePart } from "./file-part.ts";

/** Adds files of any type to a thread. */
export class ThreadAttachments implements AttachmentAdapter {
  readonly accept = "*";
  readonly #handle: ThreadHandle;

  constructor(handle: ThreadHandle) {
    this.#handle = handle;
  }

  async add({ file }: { file: File }): Promise<PendingAttachment> {
    const type = file.type.startsWith("image/") ? "image" : "file";
    const status = { type: "requires-action", reason: "composer-send" } as const;
    // The id only has to differ from those of the user's other uploads.
    return { id: Math.random().toString(36).slice(2), type, name: file.name, contentType: file.type, file, status };
  }

  async remove(): Promise<void> {
    // Nothing is uploaded before the message is sent.
  }

  async send(attachment: PendingAttachment): Promise<CompleteAttachment> {
    const { id, name, type, file } = attachment;
    const options = file.type === "" ? {} : { type: file.type };
    const to = `/uploads/${id}/${name.replaceAll("/", "_")}`;
    const { path, mimeType } = await this.#handle.files.upload(to, file, options);
    const stored = { type: type === "image" ? "image" : "file", path, mime_type: mimeType, name } as const;
    const part = filePart(this.#handle.id, stored);
    return { ...attachment, status: { type: "complete" }, content: part === null ? [] : [part] };
  }
}
