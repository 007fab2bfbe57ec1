// The schemas of an exported thread's records. They have the fields of rows, except fields that are only of use inside the deployment and
// fields that an import computes from other records. The schemas are strict: an unknown field is refused, since it would be stored without
// a check.

import { z } from "zod";

import { attachmentRefSchema, mimeTypeSchema } from "#contract/attachment.ts";
import { providerToolPartSchema, textPartSchema, thinkingPartSchema, toolCallPartSchema } from "#contract/content.ts";
import { logTypeSchema } from "#contract/log-entry.ts";
import { threadNameSchema } from "#contract/named-thread-id.ts";
import { repeatSchema } from "#contract/run-route.ts";
import { limitsSchema, runErrorSchema, runKindSchema, runStatusSchema } from "#contract/run.ts";
import { clientToolSchema, setupOptionsSchema } from "#contract/setup.ts";
import { messageStatusSchema, roleSchema, sideSchema, stopReasonSchema } from "#contract/thread-message.ts";
import { createThreadSchema } from "#contract/thread-route.ts";
import { threadStatusSchema } from "#contract/thread.ts";
import { costSchema } from "#contract/usage-schema.ts";

import { storedEventSchema, storedEventsSchema } from "./event-schema.ts";
import { parsedJson, parsedObject } from "./parsed-json.ts";

/**
 * The maximum of a record's tokens, steps, turns, milliseconds or USD: far above real usage, and low enough that a sum of many records is
 * exact.
 */
const mostSpent = 1e12;

/** The highest number of an event, far below the numbers that a double cannot represent exactly. */
const mostEvents = 2 ** 48;

const micros = z.number().int().nonnegative();
const tokens = z.number().int().nonnegative().max(mostSpent);
const word = z.string().max(1000);
const knownCost = z.number().nonnegative().max(mostSpent);
const cost = costSchema.refine((value) => value === null || value <= mostSpent, "has to be a cost that can be");
const usage = z.strictObject({
  input: tokens,
  output: tokens,
  cache_read: tokens,
  cache_write: tokens,
  total_tokens: tokens,
});

/** Ids that are ordered by time. They are compared as strings, and new ids have to sort after them. */
const orderedId = z.uuidv7().lowercase();

/** Ids of branches: printable ASCII without spaces and `~`, because the store reads key ranges of them. */
const branchId = z.string().regex(/^[!-}]{1,100}$/, "has to be 1 to 100 printable ASCII characters");

/** The position of a message: an ordered id. After a crash a call may have the position directly after another one, with `.1` added. */
const messagePosition = z
  .string()
  .regex(
    /^[\da-f]{8}-[\da-f]{4}-7[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}(?:\.1){0,100}$/,
    "has to be an ordered id, perhaps with .1 added",
  );

/** The position of a message; "" for the beginning of the thread. */
const position = z.union([messagePosition, z.literal("")]);
const { agent_id, title, tags, metadata, user_id } = createThreadSchema.shape;

/** The client's setup of the thread. Its tool schemas are validated again at each use, so a forged one does no harm. */
const setupSchema = z.strictObject({
  id: threadNameSchema,
  agent: agent_id.nullable(),
  system_prompt: z.string().max(65_536).nullable(),
  tools: z.array(clientToolSchema.extend({ parameters: parsedObject.nullable() })).max(100),
  options: setupOptionsSchema,
});

/** The thread's own record, without counts, totals and relations to other threads. */
export const archivedThreadSchema = z.strictObject({
  id: z.string().max(100),
  agent_id,
  origin_agent_id: agent_id,
  user_id: user_id.unwrap(),
  title: title.unwrap().nullable(),
  /** The message that the title was made from; null if a caller changed the title. Older exports lack it. */
  titled_by: orderedId.nullable().exactOptional(),
  tags: tags.unwrap(),
  metadata: metadata.unwrap(),
  status: threadStatusSchema,
  created_at: micros,
  updated_at: micros,
  branch: branchId,
  /** The run that was active during the export; null if none was. */
  active_run_id: orderedId.nullable(),
  /** The queued runs, in the order in which they will begin. */
  queue: z.array(orderedId).max(100),
  /** The highest id of a run that began before a run with a lower id. Replay uses it, because it reads runs by their ids. */
  overtaker: orderedId.exactOptional(),
  held: z.boolean(),
  last_seq: z.number().int().nonnegative().max(mostEvents),
  last_position: position,
  last_message: z.string().max(300).nullable(),
  setup: setupSchema.exactOptional(),
});
export type ArchivedThread = z.infer<typeof archivedThreadSchema>;

/** A branch of the conversation. In the export it follows the branch that it forked from. */
export const archivedBranchSchema = z.strictObject({
  id: branchId,
  parent_branch: branchId.nullable(),
  fork_position: position.nullable(),
  created_at: micros,
});
export type ArchivedBranch = z.infer<typeof archivedBranchSchema>;

const provider_data = z.strictObject({ provider: z.string().max(100), data: parsedObject }).exactOptional();
const pixels = z.number().int().positive().exactOptional();

/** A reference to an image or file of the thread. URLs and inline bytes are not accepted, because they would be sent without a check. */
const reference = {
  mime_type: z.string().min(1).max(255),
  path: z.string().max(1100),
  name: z.string().exactOptional(),
  id: z.string().exactOptional(),
  size: z.number().int().nonnegative().exactOptional(),
  width: pixels,
  height: pixels,
  provider_data,
};

const partSchema = z.discriminatedUnion("type", [
  z.strictObject({ ...textPartSchema.shape, provider_data }),
  z.strictObject({ ...thinkingPartSchema.shape, redacted: z.boolean().exactOptional(), provider_data }),
  z.strictObject({
    ...toolCallPartSchema.shape,
    arguments: z.union([parsedObject, z.string()]),
    invalid: z.literal(true).exactOptional(),
    provider_data,
  }),
  z.strictObject({
    ...providerToolPartSchema.shape,
    input: parsedJson,
    output: parsedJson.exactOptional(),
    is_error: z.literal(true).exactOptional(),
    provider_data,
  }),
  z.strictObject({ type: z.literal("image"), ...reference, mime_type: mimeTypeSchema }),
  z.strictObject({ type: z.literal("file"), ...reference }),
]);

const resultSchema = z.strictObject({
  status: z.enum(["success", "error"]),
  result: z.string().exactOptional(),
  error: z.string().exactOptional(),
  details: parsedJson.exactOptional(),
  attachments: z.array(z.strictObject(attachmentRefSchema.shape)).exactOptional(),
});

/** A person's decision about a call: approved or declined. */
const approval = z.strictObject({
  approved: z.boolean(),
  by: user_id.unwrap(),
  at: micros,
  args: parsedObject.exactOptional(),
  reason: z.string().exactOptional(),
  imported: z.literal(true).exactOptional(),
});

/** A message of any branch. The reference to the child thread that its call waited for is not exported. */
export const archivedMessageSchema = z.strictObject({
  id: orderedId,
  branch: branchId,
  position,
  role: roleSchema,
  parts: z.array(partSchema),
  name: z.string().nullable(),
  tool_call_id: z.string().nullable(),
  parent_id: orderedId.nullable(),
  depth: z.number().int().nonnegative().max(100),
  silent: z.boolean(),
  metadata: parsedObject,
  run_id: orderedId.nullable(),
  step: z.number().int().nonnegative().nullable(),
  side: sideSchema.nullable(),
  status: messageStatusSchema,
  stop_reason: stopReasonSchema.nullable(),
  model: word.nullable(),
  usage: usage.nullable(),
  cost,
  result: resultSchema.nullable(),
  created_at: micros,
  updated_at: micros,
  edited_at: micros.exactOptional(),
  handoff: word.exactOptional(),
  answered: word.exactOptional(),
  author: user_id.unwrap().exactOptional(),
  strategy: z.strictObject({ name: word, phase: word.nullable() }).exactOptional(),
  approval: approval.exactOptional(),
  changed_args: parsedObject.exactOptional(),
  /** Only marks the call: it is compared with ids of messages, and a forged one is equal to none. */
  reused_from: orderedId.exactOptional(),
  events: storedEventsSchema,
});
export type ArchivedMessage = z.infer<typeof archivedMessageSchema>;

/** A queued call of any name. If the name is not defined in this project, the call gets an error when it is made. */
const queuedCallSchema = z.strictObject({ id: z.string().min(1).max(200), name: word, arguments: parsedObject });

/** A queued, active or ended run, without its progress and its `state.context`. */
export const archivedRunSchema = z.strictObject({
  id: orderedId,
  branch: branchId,
  status: runStatusSchema,
  kind: runKindSchema,
  agent_id: word,
  created_at: micros,
  started_at: micros.nullable(),
  ended_at: micros.nullable(),
  queued: z
    .strictObject({
      message: archivedMessageSchema.nullable(),
      /** The branch that the run makes when it begins. */
      branch: z.strictObject({ parent: branchId, position }).exactOptional(),
    })
    .nullable(),
  after_position: position,
  steps: tokens,
  usage,
  cost,
  spent: z.record(word, z.strictObject({ usage, cost })),
  work: z
    .strictObject({
      steps: tokens,
      turns: tokens,
      driven_ms: tokens,
      paid: knownCost,
      requests: tokens.exactOptional(),
    })
    .exactOptional(),
  text: z.string().nullable(),
  reason: z.string().nullable(),
  outcome: parsedJson,
  data: parsedJson.exactOptional(),
  error: z.strictObject({ ...runErrorSchema.shape, retryable: z.boolean().exactOptional() }).nullable(),
  message_ids: z.array(orderedId),
  limits: limitsSchema.nullable(),
  /** Only used by a queued run. It is checked again when the run begins, so a forged one does no harm. */
  structure: parsedObject.exactOptional(),
  repeat: repeatSchema.exactOptional(),
  parent_run_id: orderedId.nullable(),
  version: word.nullable(),
  stop: z.boolean(),
  side: sideSchema.exactOptional(),
  /** The run that this run's input joined (steering). This run then never began. */
  joined: orderedId.exactOptional(),
  /**
   * Runs may begin in an order that differs from the order of their ids. `overtook`: the lowest id of the runs with a lower id that began
   * after this run. `overtaken`: the highest id of the runs with a higher id that began before this run.
   */
  overtook: orderedId.exactOptional(),
  overtaken: orderedId.exactOptional(),
  /** Only of a queued run: the tool calls that it makes first. */
  calls: z.array(queuedCallSchema).max(100).exactOptional(),
  events: storedEventsSchema,
});
export type ArchivedRun = z.infer<typeof archivedRunSchema>;

/** A log row: a model attempt with its step, or something that went wrong. */
export const archivedLogSchema = z.strictObject({
  id: orderedId,
  type: logTypeSchema,
  run_id: orderedId.nullable(),
  parent_id: z.string().max(100).nullable(),
  depth: z.number().int().nonnegative().max(100),
  created_at: micros,
  data: parsedObject,
  events: storedEventsSchema,
});
export type ArchivedLog = z.infer<typeof archivedLogSchema>;

/** The fields that the log row of a model request needs, so that the import can add up the cost of the active run. */
export const spendingSchema = z.object({ model: word, usage, cost });

/** An event that is not part of another record. */
export const archivedEventSchema = storedEventSchema;

const path = z.string().min(2).max(1100).startsWith("/");

/** A folder. An `implied` folder was created with a file in it, and is deleted with its last entry. */
export const archivedFolderSchema = z.strictObject({
  path,
  implied: z.boolean(),
  created_at: micros,
  updated_at: micros,
});
export type ArchivedFolder = z.infer<typeof archivedFolderSchema>;

/** A file. Its bytes follow in chunks, except for a linked file, which has a `url` and no bytes. */
export const archivedFileSchema = z.strictObject({
  path,
  mime_type: z.string().max(255),
  size: z.number().int().nonnegative(),
  metadata: parsedObject.exactOptional(),
  width: pixels,
  height: pixels,
  url: z.string().max(8192).exactOptional(),
  created_at: micros,
  updated_at: micros,
});
export type ArchivedFile = z.infer<typeof archivedFileSchema>;
