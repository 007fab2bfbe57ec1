// The route that reports usage. A user sees the usage of their own runs, an administrator that of all users or of one.

import { refuse } from "#contract/error.ts";
import { usageLineLimit, usageDayLimit } from "#contract/usage-route.ts";
import type { UsageLine, UsageReport } from "#contract/usage-route.ts";
import { roundCost } from "#contract/usage.ts";
import type { UsageRow, UsageSums } from "#store/catalog/run-total.ts";

import { jsonAnswer } from "../answer/json-answer.ts";
import { invalidField } from "../input/field-error.ts";
import type { Handlers } from "../route/handler.ts";
import type { Services } from "../services.ts";
import { scopeOf } from "../thread/owner.ts";

export function usageHandlers({ dependencies, limits }: Services): Pick<Handlers, "getUsage"> {
  const { catalog, now } = dependencies;
  return {
    async getUsage({ caller, query: { by, user_id, ...asked } }) {
      if (by.includes("user") && !caller.admin) {
        throw refuse("forbidden", "Only an administrator may group usage by user.", { field: "by" });
      }
      const userId = scopeOf(caller, user_id);
      const days = reportDays(asked, now());
      await limits.list(caller);
      const { lines, total } = await catalog.usage({ ...days, by, userId, limit: usageLineLimit });
      const report: UsageReport = { usage: lines.map(shownLine), total: shownSums(total), ...days, by };
      return jsonAnswer(report);
    },
  };
}

function shownLine({ by: { day, agent, model, user }, ...sums }: UsageRow): UsageLine {
  return {
    ...(day == null ? {} : { day }),
    ...(agent == null ? {} : { agent_id: agent }),
    ...(model == null ? {} : { model }),
    ...(user === undefined ? {} : { user_id: user }),
    ...shownSums(sums),
  };
}

function shownSums({ runs, cost, known_cost, ...usage }: UsageSums): UsageReport["total"] {
  return { runs, usage, cost: cost === null ? null : roundCost(cost), known_cost: roundCost(known_cost) };
}

const dayMs = 86_400_000;

/** Default number of days of a report. */
const usualDays = 30;

/** The first and last day of a report, both included. `now` is in microseconds. Throws `invalid_request`. */
function reportDays(
  requested: { from?: string | undefined; to?: string | undefined },
  now: number,
): { from: string; to: string } {
  const to = requested.to ?? textOf(now / 1000);
  const from = requested.from ?? addDays(to, 1 - usualDays);
  if (to < from) throw invalidField("to", "Has to be the same day as `from`, or a later one");
  if (Date.parse(to) - Date.parse(from) >= usageDayLimit * dayMs) {
    throw invalidField("from", `A report covers ${String(usageDayLimit)} days at most. Choose fewer days.`);
  }
  return { from, to };
}

/** The day `days` after `day`. */
function addDays(day: string, days: number): string {
  return textOf(Date.parse(day) + days * dayMs);
}

function textOf(milliseconds: number): string {
  return new Date(milliseconds).toISOString().slice(0, 10);
}
