// The routes of a thread's branches, as rows of the one route table: the tree of branches, and the change to another one.

import { z } from "zod";

import type { BuiltInRoute } from "./built-in-route.ts";
import { listSchema } from "./list-page.ts";
import { cursorField, limit } from "./query-field.ts";
import { threadSchema } from "./thread.ts";

/** A branch of a thread: the messages of its parent up to the message where they part, followed by its own. */
const branchSchema = z.object({
  id: z.string(),
  /** Null for the first branch of the thread. */
  parent_id: z.string().nullable(),
  /** The last message that the branch shares with its parent. Null for the first branch, and for a branch that shares none. */
  after_message_id: z.string().nullable(),
  /** The first message of the branch itself. Null for a branch without messages of its own. */
  first_message_id: z.string().nullable(),
  /** The number of messages of the branch itself that are not silent. */
  message_count: z.number().int().nonnegative(),
  /** The last run on the branch. Null if there was none. */
  last_run_id: z.string().nullable(),
  /** Microseconds since epoch. */
  created_at: z.number().int(),
  /** Whether the thread is on this branch. */
  current: z.boolean(),
});
/** A branch of a thread, as its tree lists it. */
export type Branch = z.infer<typeof branchSchema>;

/** Query of `GET /api/threads/:id/tree`. */
const listBranchesSchema = z.object({ limit: limit(100, 1000), cursor: cursorField.optional() }).strict();
export type ListBranches = z.infer<typeof listBranchesSchema>;

/** Body of `POST /api/threads/:id/checkout`. */
const checkoutSchema = z
  .object({
    /** The branch to change to. */
    branch_id: z.string().max(100).optional(),
    /** The id of a message: a new branch ends before it. */
    before: z.string().max(200).optional(),
  })
  .strict()
  .refine(
    ({ branch_id, before }) => (branch_id === undefined) !== (before === undefined),
    "name either `branch_id` or `before`",
  );
export type Checkout = z.infer<typeof checkoutSchema>;

const checkedOutSchema = z.object({
  thread: threadSchema,
  /** The number of files that were written after the part that both branches share. They stay as they are. */
  files_kept: z.number().int().nonnegative(),
});
/** The thread after a change to another branch. */
export type CheckedOut = z.infer<typeof checkedOutSchema>;

export const branchRoutes = {
  getTree: {
    method: "GET",
    path: "/api/threads/:id/tree",
    summary: "The branches of a thread, in the order in which they were made",
    tag: "branches",
    access: "user",
    query: listBranchesSchema,
    answers: {
      200: listSchema("branches", branchSchema),
    },
  },
  checkout: {
    method: "POST",
    path: "/api/threads/:id/checkout",
    summary: "Changes to another branch, or goes back to the moment before a message",
    tag: "branches",
    access: "user",
    body: checkoutSchema,
    answers: { 200: checkedOutSchema },
  },
} as const satisfies Record<string, BuiltInRoute>;
