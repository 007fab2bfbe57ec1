// The routes of a thread's runs, as rows of the one route table: start, list, read and stop.

import { z } from "zod";

import type { BuiltInRoute } from "./built-in-route.ts";
import { inputContentSchema } from "./content.ts";
import { inputAttachmentsSchema } from "./input-attachment.ts";
import { jsonObjectSchema } from "./json.ts";
import { listSchema } from "./list-page.ts";
import { cursorField, limit, waitSchema } from "./query-field.ts";
import { limitsSchema, runSchema } from "./run.ts";
import { sideSchema } from "./thread-message.ts";
import { threadStatusSchema } from "./thread.ts";

const mib = 1024 * 1024;

/**
 * The calls of the part that a branch leaves behind whose effects may be repeated: `all`, or the calls with these ids. A call of the branch
 * that equals any other settled call takes its result.
 */
export const repeatSchema = z.union([z.literal("all"), z.array(z.string().max(200)).max(1000)]);
export type Repeat = z.infer<typeof repeatSchema>;

/** Body of `POST /api/threads/:id/runs`. */
export const postRunSchema = z
  .object({
    /**
     * `continue` goes on without a new message. `rerun` answers again, and `branch` goes on from an earlier message; both make a new branch.
     */
    kind: z.enum(["continue", "rerun", "branch"]).default("continue"),
    side: sideSchema.optional(),
    limits: limitsSchema.optional(),
    /**
     * The id of a message, for `rerun` and `branch`. A rerun from a user's message ends the shared part with it; from a message of an answer,
     * before the first answer of its run. A branch ends the shared part after the message; before it if `content` replaces a user's message.
     */
    from: z.string().max(200).optional(),
    /** For `branch`: the new message of the user, which replaces the message `from` if that is a user's, and follows it otherwise. */
    content: inputContentSchema.optional(),
    attachments: inputAttachmentsSchema.optional(),
    metadata: jsonObjectSchema.optional(),
    /** What to do while a run is active, for `rerun` and `branch`: refuse (the default), or end that run. */
    when: z.enum(["reject", "interrupt"]).optional(),
    repeat: repeatSchema.optional(),
    /** JSON Schema of an object: the run's answer is JSON that matches it. For `rerun` and `branch`. */
    structure: jsonObjectSchema.optional(),
  })
  .strict()
  .superRefine((body, context) => {
    const refuse = (path: string, message: string) => context.addIssue({ code: "custom", path: [path], message });
    const given = (fields: readonly (keyof typeof body)[]) => fields.filter((field) => body[field] !== undefined);
    if (body.kind === "continue") {
      for (const field of given(branchFields)) refuse(field, 'is for the kinds "rerun" and "branch"');
      return;
    }
    if (body.from === undefined) refuse("from", `is missing: kind "${body.kind}" needs the id of a message`);
    if (body.side !== undefined) refuse("side", 'is for the kind "continue"');
    if (body.kind === "rerun") {
      for (const field of given(inputFields)) refuse(field, 'is for the kind "branch": a rerun keeps the message');
    } else if (body.content === undefined) {
      for (const field of given(["attachments", "metadata"])) refuse(field, "needs `content`");
    }
  });
export type PostRun = z.infer<typeof postRunSchema>;

const inputFields = ["content", "attachments", "metadata"] as const;
const branchFields = ["from", ...inputFields, "when", "repeat", "structure"] as const;

/** Response of `POST` of a run. */
const admittedRunSchema = z.object({
  run: runSchema.nullable(),
  /** Only for `rerun` and `branch`. The number of files that were written after the shared part: they stay as they are. */
  files_kept: z.number().int().nonnegative().optional(),
});

/** Query of `GET /api/threads/:id/runs`. */
export const listRunsSchema = z
  .object({ limit: limit(50, 200), cursor: cursorField.optional(), order: z.enum(["asc", "desc"]).default("desc") })
  .strict();
export type ListRuns = z.infer<typeof listRunsSchema>;

/** Body of `POST /api/threads/:id/stop`. */
const stopSchema = z.object({ run_id: z.string().optional() }).strict();

export const runRoutes = {
  postRun: {
    method: "POST",
    path: "/api/threads/:id/runs",
    summary: "Continues the conversation, or starts a run on a new branch",
    tag: "runs",
    access: "user",
    query: waitSchema,
    body: postRunSchema,
    bodyOptional: true,
    bodyLimit: 6 * mib,
    keyed: true,
    answers: { 202: admittedRunSchema, 200: admittedRunSchema },
    stream: "negotiated",
  },
  listRuns: {
    method: "GET",
    path: "/api/threads/:id/runs",
    summary: "The runs of a thread",
    tag: "runs",
    access: "user",
    query: listRunsSchema,
    answers: { 200: listSchema("runs", runSchema) },
  },
  getRun: {
    method: "GET",
    path: "/api/threads/:id/runs/:rid",
    summary: "One run",
    tag: "runs",
    access: "user",
    answers: { 200: runSchema },
  },
  stopThread: {
    method: "POST",
    path: "/api/threads/:id/stop",
    summary: "Stops the run; answers once the stop is durable",
    tag: "runs",
    access: "user",
    body: stopSchema,
    bodyOptional: true,
    answers: { 200: z.object({ status: threadStatusSchema }) },
  },
} as const satisfies Record<string, BuiltInRoute>;
