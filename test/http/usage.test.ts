// The route of usage reports with a real D1: whose runs and which days a report has, and which requests are refused.

import { describe, expect, it } from "vitest";

import { usageReportSchema } from "#contract/usage-route.ts";
import type { UsageReport } from "#contract/usage-route.ts";
import { createD1Catalog } from "#store/catalog/d1-catalog.ts";
import type { RunTotal } from "#store/catalog/run-total.ts";

import { emptyDatabase } from "../store/catalog-database.ts";
import { day, noon, totalOf } from "../store/catalog-entries.ts";
import { adminToken, annaToken, berndToken, refusalOf, testApp } from "./support/test-app.ts";
import type { ErrorBody } from "./support/test-app.ts";

/** An app with a database with these totals, at noon of 2026-08-03. */
async function reporting(totals: readonly RunTotal[]) {
  const catalog = createD1Catalog(await emptyDatabase());
  await catalog.addRunTotals(totals);
  const app = testApp({ dependencies: { catalog, now: () => noon } });
  const ask = (query: string, token = adminToken) => app.ask(`/api/usage${query}`, { token });
  const report = async (query: string, token?: string): Promise<UsageReport> => {
    const answer = await ask(query, token);
    expect(answer.status).toBe(200);
    return usageReportSchema.parse(await answer.json());
  };
  return { ask, report };
}

const anna = { user_id: "anna" };
const bernd = { user_id: "bernd" };
const usage = { input: 10, output: 5, cache_read: 2, cache_write: 1, total_tokens: 18 };
const twice = { input: 20, output: 10, cache_read: 4, cache_write: 2, total_tokens: 36 };

describe("a report", () => {
  it("USAGE1 A report has a line for each used combination of the requested dimensions, and a total that counts each run once", async () => {
    const { report } = await reporting([
      totalOf(1, anna),
      totalOf(1, { ...anna, model: "large" }),
      totalOf(2, { ...anna, agent_id: "sales", ended_at: noon - day }),
    ]);
    const sums = { usage, cost: 0.5, known_cost: 0.5 };
    expect(await report("?by=day,agent,model,user")).toEqual({
      usage: [
        { day: "2026-08-02", agent_id: "sales", model: "fast", user_id: "anna", runs: 1, ...sums },
        { day: "2026-08-03", agent_id: "support", model: "fast", user_id: "anna", runs: 1, ...sums },
        { day: "2026-08-03", agent_id: "support", model: "large", user_id: "anna", runs: 1, ...sums },
      ],
      total: {
        runs: 2,
        usage: { input: 30, output: 15, cache_read: 6, cache_write: 3, total_tokens: 54 },
        cost: 1.5,
        known_cost: 1.5,
      },
      from: "2026-07-05",
      to: "2026-08-03",
      by: ["day", "agent", "model", "user"],
    });
    expect((await report("?by=model")).usage).toEqual([
      { model: "fast", runs: 2, usage: twice, cost: 1, known_cost: 1 },
      { model: "large", runs: 1, ...sums },
    ]);
    expect(await report("?from=2026-08-02&to=2026-08-02&by=agent,day")).toMatchObject({
      usage: [{ agent_id: "sales", day: "2026-08-02" }],
      by: ["agent", "day"],
    });
  });

  it("USAGE1 A report without usage has no line and a total of zero", async () => {
    const { report } = await reporting([]);
    const nothing = { input: 0, output: 0, cache_read: 0, cache_write: 0, total_tokens: 0 };
    expect(await report("")).toMatchObject({ usage: [], total: { runs: 0, usage: nothing, cost: 0, known_cost: 0 } });
  });

  it("USAGE2 A report covers the last thirty days unless days are requested, and includes the first and the last of these days", async () => {
    const at = [0, 1, 29, 30, 59, 60].map((ago) => totalOf(ago, { ended_at: noon - ago * day }));
    const midnight = noon + 12 * 3600 * 1e6;
    const { report } = await reporting([
      ...at,
      totalOf(98, { ended_at: midnight - 1 }),
      totalOf(99, { ended_at: midnight }),
    ]);
    const daysOf = async (query: string) => {
      const { from, to, usage: lines, by } = await report(query);
      expect(by).toEqual(["day"]);
      return [from, to, ...lines.map((line) => `${line.day ?? ""} ${String(line.runs)}`)];
    };
    expect(await daysOf("")).toEqual(["2026-07-05", "2026-08-03", "2026-07-05 1", "2026-08-02 1", "2026-08-03 2"]);
    expect(await daysOf("?to=2026-07-04")).toEqual(["2026-06-05", "2026-07-04", "2026-06-05 1", "2026-07-04 1"]);
    expect(await daysOf("?from=2026-08-03")).toEqual(["2026-08-03", "2026-08-03", "2026-08-03 2"]);
    expect(await daysOf("?from=2026-08-04&to=2026-08-04")).toEqual(["2026-08-04", "2026-08-04", "2026-08-04 1"]);
  });

  it("USAGE5 A report shows the known part of the cost if a price is missing", async () => {
    const { report } = await reporting([
      totalOf(1),
      totalOf(2, { cost: null }),
      totalOf(3, { cost: 0, model: "free" }),
    ]);
    const { usage: lines, total } = await report("?by=model");
    expect(lines.map(({ model, cost, known_cost }) => [model, cost, known_cost])).toEqual([
      ["fast", null, 0.5],
      ["free", 0, 0],
    ]);
    expect(total).toMatchObject({ cost: null, known_cost: 0.5 });
  });

  it("USAGE6 A report with too many lines is refused, and the error suggests fewer days or dimensions", async () => {
    const { ask, report } = await reporting(
      Array.from({ length: 5001 }, (_, n) => totalOf(n, { agent_id: `agent-${n}` })),
    );
    const answer = await ask("?by=agent");
    expect(answer.status).toBe(400);
    const { error } = await answer.json<ErrorBody>();
    expect(error).toMatchObject({ code: "invalid_request", details: { fields: [{ path: "by" }] } });
    expect(error.message).toContain("fewer days");
    expect((await report("?by=day")).total.runs).toBe(5001);
  });
});

describe("invalid queries", () => {
  const refusalOfQuery = async (query: string) => {
    const { ask } = await reporting([totalOf(1)]);
    const { status, code, fields } = await refusalOf(await ask(`?${query.replaceAll(" ", "%20")}`));
    return [status, code, fields];
  };

  it.each([
    ["from=2026-02-31", "from"],
    ["from=2026-2-3", "from"],
    ["from=2025-02-29&to=2025-03-01", "from"],
    ["to=2026-08-03T00:00:00Z", "to"],
    ["to=", "to"],
    ["to=now", "to"],
    ["to=%00", "to"],
    ["from=0000-01-01", "from"],
    ["from=-271821-04-20", "from"],
    ["from=2026-08-03&to=2026-08-02", "to"],
    ["from=2026-08-04", "to"],
    ["from=2025-08-02&to=2026-08-03", "from"],
    ["from=2025-08-02", "from"],
    ["from=1970-01-01&to=9999-12-31", "from"],
    ["by=", "by"],
    ["by=days", "by"],
    ["by=day,", "by"],
    ["by=day,,agent", "by"],
    ["by=day, agent", "by"],
    ["by=DAY", "by"],
    ["by=day%0A", "by"],
    ["by=day,day", "by"],
    ["by=day,agent,model,user,day", "by"],
    ["by=day;DROP TABLE run_total", "by"],
    ["by=1) UNION SELECT body FROM thread --", "by"],
    ["by=constructor", "by"],
    ["by=__proto__", "by"],
    ["by=day&by=user", "by"],
    ["user_id=", "user_id"],
    [`user_id=${"x".repeat(201)}`, "user_id"],
    ["limit=1", "limit"],
    ["__proto__=1", "__proto__"],
  ])("USAGE3 A report with the query %s is refused, and the error names the field", async (query, field) => {
    expect(await refusalOfQuery(query)).toEqual([400, "invalid_request", [field]]);
  });

  it("USAGE3 A report with 20,001 groupings is refused, and the error names the field", async () => {
    expect(await refusalOfQuery(`by=${"day,".repeat(20_000)}day`)).toEqual([400, "invalid_request", ["by"]]);
  });

  it("USAGE3 A report may cover a leap year, and a user id that contains SQL is only compared as a value", async () => {
    const { report } = await reporting([totalOf(1, { user_id: "' OR 1=1 --" }), totalOf(2, anna)]);
    const year = await report("?from=2028-01-01&to=2028-12-31");
    expect([year.from, year.to]).toEqual(["2028-01-01", "2028-12-31"]);
    expect((await report("?to=2024-02-29")).from).toBe("2024-01-31");
    expect((await report("?from=2025-08-03")).total.runs).toBe(2);
    expect((await report(`?user_id=${encodeURIComponent("' OR 1=1 --")}`)).total.runs).toBe(1);
    for (const other of ["%", "\0", "' OR 1=1 --\0", "1"]) {
      expect([other, (await report(`?user_id=${encodeURIComponent(other)}`)).total.runs]).toEqual([other, 0]);
    }
  });
});

describe("access to a report", () => {
  const used = [totalOf(1, anna), totalOf(2, bernd), totalOf(3, bernd), totalOf(4, { user_id: null })];

  it("USAGE4 A user is shown the user's own runs, and an administrator the runs of all users or one user", async () => {
    const { report } = await reporting(used);
    for (const query of ["", "?user_id=anna", "?by=agent,model"]) {
      expect([query, (await report(query, annaToken)).total.runs]).toEqual([query, 1]);
    }
    expect((await report("", berndToken)).total.runs).toBe(2);
    expect((await report("")).total.runs).toBe(4);
    expect((await report("?user_id=bernd")).total.runs).toBe(2);
    expect((await report("?by=user")).usage.map(({ user_id, runs }) => [user_id, runs])).toEqual([
      [null, 1],
      ["anna", 1],
      ["bernd", 2],
    ]);
  });

  it("USAGE4 A user can request neither the report of another user nor a report by user", async () => {
    const { ask } = await reporting(used);
    for (const query of ["?user_id=bernd", "?user_id=ANNA", "?by=user", "?by=day,user&user_id=anna"]) {
      const { status, code } = await refusalOf(await ask(query, annaToken));
      expect([query, status, code]).toEqual([query, 403, "forbidden"]);
    }
    expect((await ask("", "nobody")).status).toBe(401);
  });
});
