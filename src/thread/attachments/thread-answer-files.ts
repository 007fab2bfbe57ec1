// Stores parts of tool results and model answers that do not fit a row as files of the thread.

import type { AnswerFiles } from "#core/ports/answer-file-port.ts";
import { answerFiles } from "#flow/tool/store-answer-files.ts";

import type { ObjectContext } from "../object-context.ts";
import { pendingAttachments } from "./pending-attachments.ts";

/** Creates the port `AnswerFiles` for a thread. */
export function threadAnswerFiles({ files, live, log }: Pick<ObjectContext, "files" | "live" | "log">): AnswerFiles {
  const onReference = (path: string) => pendingAttachments({ live, files, log }).keepPath(path);
  return answerFiles({ files, newId: () => live.uuids.next(), onReference });
}
