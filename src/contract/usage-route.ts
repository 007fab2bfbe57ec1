// The route of usage reports: the usage of runs by day, agent, model and user. A row of the one route table. Days are UTC; a run counts
// on the day of its end.

import { z } from "zod";

import type { BuiltInRoute } from "./built-in-route.ts";
import { costSchema, usageSchema } from "./usage-schema.ts";

/** The dimensions of a report. */
const usageDimensions = ["day", "agent", "model", "user"] as const;
/** What a usage report can be broken down by. */
export type UsageDimension = (typeof usageDimensions)[number];

/** Maximal number of days of a report. */
export const usageDayLimit = 366;

/** Maximal number of lines of a report. */
export const usageLineLimit = 5000;

const name = usageDimensions.join("|");

/** An existing day, as `YYYY-MM-DD`. */
const day = z.iso
  .date({ error: "Has to be a day that there is, as YYYY-MM-DD", abort: true })
  .refine((text) => text >= "1970-01-01", "Has to be 1970-01-01 or later");

/** Names of dimensions, separated by commas. */
const dimensions = z
  .string()
  .regex(new RegExp(`^(?:${name})(?:,(?:${name}))*$`), `Has to be a comma list of ${usageDimensions.join(", ")}`)
  .refine((list) => new Set(list.split(",")).size === list.split(",").length, "Names a dimension twice")
  .default("day")
  // The pattern allows only these names.
  .transform((list) => list.split(",") as UsageDimension[]);

/** Query of `GET /api/usage`. Both days are included. Default: the thirty days that end today. */
const usageQuerySchema = z.strictObject({
  from: day.optional(),
  to: day.optional(),
  by: dimensions,
  user_id: z.string().min(1).max(200).optional(),
});

const sums = {
  /** Runs that requested an answer from a model. A run counts once, for any number of models. */
  runs: z.number().int().nonnegative(),
  usage: usageSchema,
  /** Null if any price is unknown. */
  cost: costSchema,
  /** USD of everything with a known price. */
  known_cost: z.number().nonnegative(),
};

/** One line: the values of the requested dimensions, and the usage. */
const usageLineSchema = z.object({
  day: z.string().optional(),
  agent_id: z.string().optional(),
  model: z.string().optional(),
  /** Null for threads without a user. */
  user_id: z.string().nullable().optional(),
  ...sums,
});
/** One line of a usage report: runs, tokens and cost of one combination of its dimensions. */
export type UsageLine = z.infer<typeof usageLineSchema>;

/** A report. Lines are ordered by their dimensions. Combinations without usage have no line. */
export const usageReportSchema = z.object({
  usage: z.array(usageLineSchema),
  /** A run that used two models is in two lines by model, and counts here once. */
  total: z.object(sums),
  from: z.string(),
  to: z.string(),
  by: z.array(z.enum(usageDimensions)),
});
/** What the runs of a range of days used, by line and in total. */
export type UsageReport = z.infer<typeof usageReportSchema>;

export const usageRoutes = {
  getUsage: {
    method: "GET",
    path: "/api/usage",
    summary: "What runs used and cost: the caller's own, an administrator's choice",
    tag: "service",
    access: "user",
    query: usageQuerySchema,
    answers: { 200: usageReportSchema },
  },
} as const satisfies Record<string, BuiltInRoute>;
