// Stores parts of tool results and model answers that do not fit a row as files of the thread.

import type { AnswerFiles } from "#core/ports/answer-file-port.ts";
import { answerFiles } from "#flow/tool/store-answer-files.ts";

import { pendingAttachments } from "./pending-attachments.ts";
import type { AttachmentContext } from "./pending-attachments.ts";

/** Creates the port `AnswerFiles` for a thread. */
export function threadAnswerFiles(context: AttachmentContext): AnswerFiles {
  const { files, live } = context;
  const onReference = (path: string) => pendingAttachments(context).keepPath(path);
  return answerFiles({ files, newId: () => live.uuids.next(), onReference });
}
