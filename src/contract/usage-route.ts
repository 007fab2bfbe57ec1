// The route of usage reports: what runs used, by day, agent, model and user. A row of the one route table. Days are UTC; a run
// counts on the day it ended.

import { z } from "zod";

import type { BuiltInRoute } from "./built-in-route.ts";
import { costSchema, usageSchema } from "./usage-schema.ts";

/** By what a report can be broken down. */
export const usageDimensions = ["day", "agent", "model", "user"] as const;
/** What a usage report can be broken down by. */
export type UsageDimension = (typeof usageDimensions)[number];

/** Most days of a report. */
export const usageDayLimit = 366;

/** Most lines of a report. */
export const usageLineLimit = 5000;

const name = usageDimensions.join("|");

/** A day that there is, as `YYYY-MM-DD`. */
const day = z.iso
  .date({ error: "Has to be a day that there is, as YYYY-MM-DD", abort: true })
  .refine((text) => text >= "1970-01-01", "Has to be 1970-01-01 or later");

/** Names of dimensions with commas between them. */
const dimensions = z
  .string()
  .regex(new RegExp(`^(?:${name})(?:,(?:${name}))*$`), `Has to be a comma list of ${usageDimensions.join(", ")}`)
  .refine((list) => new Set(list.split(",")).size === list.split(",").length, "Names a dimension twice")
  .default("day")
  // The pattern holds these names only.
  .transform((list) => list.split(",") as UsageDimension[]);

/** Query of `GET /api/usage`: both days are included. It ends today and begins thirty days before its end where nothing is said. */
export const usageQuerySchema = z.strictObject({
  from: day.optional(),
  to: day.optional(),
  by: dimensions,
  user_id: z.string().min(1).max(200).optional(),
});
export type UsageQuery = z.infer<typeof usageQuerySchema>;

const sums = {
  /** Runs that asked a model, each once, however many models it asked. */
  runs: z.number().int().nonnegative(),
  usage: usageSchema,
  /** Null where the price of anything in it is unknown. */
  cost: costSchema,
  /** USD of what has a price. */
  known_cost: z.number().nonnegative(),
};

/** One line: the dimensions that were asked for, and what was used. */
export const usageLineSchema = z.object({
  day: z.string().optional(),
  agent_id: z.string().optional(),
  model: z.string().optional(),
  /** Null for threads of nobody. */
  user_id: z.string().nullable().optional(),
  ...sums,
});
/** One line of a usage report: runs, tokens and cost of one combination of its dimensions. */
export type UsageLine = z.infer<typeof usageLineSchema>;

/** A report. Lines are in the order of their dimensions; what nobody used has none. */
export const usageReportSchema = z.object({
  usage: z.array(usageLineSchema),
  /** A run that asked two models stands in two lines by model, and is one run here. */
  total: z.object(sums),
  from: z.string(),
  to: z.string(),
  by: z.array(z.enum(usageDimensions)),
});
/** What the runs of a range of days used, by line and in total. */
export type UsageReport = z.infer<typeof usageReportSchema>;

/** The row. */
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
