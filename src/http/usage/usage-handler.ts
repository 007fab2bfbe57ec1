// The route that reports usage. A user sees the usage of their own runs, an administrator that of all users or of one.

import { refuse } from "#contract/error.ts";
import { usageLineLimit } from "#contract/usage-route.ts";
import type { UsageLine, UsageReport } from "#contract/usage-route.ts";
import { roundCost } from "#contract/usage.ts";
import type { UsageRow, UsageSums } from "#store/catalog/run-total.ts";

import { jsonAnswer } from "../answer/json-answer.ts";
import type { Handlers } from "../route/handler.ts";
import type { Services } from "../services.ts";
import { scopeOf } from "../thread/owner.ts";
import { reportDays } from "./report-days.ts";

/** The handler. */
export function usageHandlers({ dependencies }: Services): Pick<Handlers, "getUsage"> {
  const { catalog, now } = dependencies;
  return {
    async getUsage({ caller, query: { by, user_id, ...asked } }) {
      if (by.includes("user") && !caller.admin) {
        throw refuse("forbidden", "Only an administrator may ask by user.", { field: "by" });
      }
      const userId = scopeOf(caller, user_id);
      const days = reportDays(asked, now());
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
