// The routes of tools in a thread, as rows of the one route table: one invokes a tool, the other posts the results and approvals of
// calls that wait for a client.

import { z } from "zod";

import { mimeTypeSchema } from "./attachment.ts";
import type { BuiltInRoute } from "./built-in-route.ts";
import { toolResultSchema } from "./call-result.ts";
import { awaitedCallSchema } from "./event.ts";
import { jsonObjectSchema, jsonSchema } from "./json.ts";
import { runSchema } from "./run.ts";

/** Body of `POST /api/threads/:id/tools/:name`. */
const invokeToolSchema = z.object({ args: jsonObjectSchema.default({}) }).strict();

/** Maximal number of results in one request. */
const mostResults = 100;

const textPart = z.strictObject({ type: z.literal("text"), text: z.string() });

/** The bytes of an image or a file in base64, or the path of a file that the thread has. */
const fileFields = {
  name: z.string().min(1).max(255).optional(),
  data: z.base64().optional(),
  path: z.string().min(1).max(1024).optional(),
};
const hasOneSource = ({ data, path }: { data?: string | undefined; path?: string | undefined }): boolean =>
  (data === undefined) !== (path === undefined);
const oneSource = "Give one of `data` and `path`";
const imagePart = z
  .strictObject({ type: z.literal("image"), mime_type: z.string().regex(/^image\/[\w.+-]+$/), ...fileFields })
  .refine(hasOneSource, oneSource);
const filePart = z
  .strictObject({ type: z.literal("file"), mime_type: mimeTypeSchema, ...fileFields })
  .refine(hasOneSource, oneSource);

/** Maximal number of parts of one result. */
const mostParts = 100;

/**
 * The answer to one waiting call: a result (`result`, `content`, or an `error` that the model reads), or an approval (`approved`). A question is
 * answered by an object as `result`, declined by `approved: false`, and dismissed by `error`.
 */
export const postedResultSchema = z
  .strictObject({
    tool_call_id: z.string().min(1).max(1000),
    /** Text, or JSON that the model reads as text. */
    result: jsonSchema.optional(),
    /** The result as text or as parts, instead of `result`. Images and files become files of the thread. */
    content: z
      .union([
        z.string(),
        z
          .array(z.discriminatedUnion("type", [textPart, imagePart, filePart]))
          .min(1)
          .max(mostParts),
      ])
      .optional(),
    /** Why the call failed; with `approved: false`, why it was declined. */
    error: z.string().min(1).optional(),
    /** For a call of kind `approval`: whether it may run. */
    approved: z.boolean().optional(),
    /** With `approved: true`: changed arguments, if the tool allows changes. */
    args: jsonObjectSchema.optional(),
    /** Stored with the result for programs that read the thread; not sent to the model. */
    details: jsonSchema.optional(),
  })
  .refine(
    ({ result, content, error, approved }) =>
      [result, content, approved === false ? undefined : error, approved].filter((one) => one !== undefined).length ===
      1,
    "Give one of `result`, `content`, `error` and `approved`",
  )
  .refine(({ args, approved }) => args === undefined || approved === true, "`args` go with `approved: true`")
  .refine(({ details, approved }) => details === undefined || approved === undefined, "`details` go with a result");
/** The answer to one pending call: a result or an error of a remote call, or an approval. */
export type PostedResult = z.infer<typeof postedResultSchema>;

/** Body of `POST /api/threads/:id/tool-results`. */
export const postToolResultsSchema = z.strictObject({
  results: z.array(postedResultSchema).min(1).max(mostResults),
  /** The run of the calls. The request is refused if another run is active. */
  run_id: z.string().min(1).max(200).optional(),
});
export type PostToolResults = z.infer<typeof postToolResultsSchema>;

export const toolResultsTakenSchema = z.object({
  run: runSchema,
  /** Calls of the run that still wait for a client or an approval, with their names and arguments. */
  missing: z.array(awaitedCallSchema),
  /** Ids of calls that had already ended. Their posted results are in the thread's log. */
  ignored: z.array(z.string()),
});
/** The response to posted results: the run, the calls that are still open, and the calls that were already over. */
export type ToolResultsTaken = z.infer<typeof toolResultsTakenSchema>;

const mib = 1024 * 1024;

export const toolRoutes = {
  invokeTool: {
    method: "POST",
    path: "/api/threads/:id/tools/:name",
    summary: "Runs a tool's function now and gives its result; writes a log, no message",
    tag: "runs",
    access: "user",
    body: invokeToolSchema,
    bodyOptional: true,
    bodyLimit: mib,
    answers: { 200: toolResultSchema },
  },
  postToolResults: {
    method: "POST",
    path: "/api/threads/:id/tool-results",
    summary: "Answers calls of remote tools and questions, and approves calls; the run goes on when none is missing",
    tag: "runs",
    access: "user",
    body: postToolResultsSchema,
    bodyLimit: 4 * mib,
    answers: { 202: toolResultsTakenSchema },
  },
} as const satisfies Record<string, BuiltInRoute>;
