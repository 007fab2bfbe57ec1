// Kills the process group of a real `wrangler dev` with SIGKILL, again and again, at moments that external servers report:
// in model streams and tools, around admissions and stops, and while it starts; with a client that reconnects, or
// without any client. Violations are collected by rule, so that one run shows all of them. `SOAK_SEED` repeats a run.

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import type { Role } from "./support/actor.ts";
import { drain, type DrainedThread } from "./support/drain.ts";
import { planLives } from "./support/life-plan.ts";
import { liveAndDie } from "./support/life.ts";
import { summary } from "./support/report.ts";
import { actorsOf, openSoak, type Soak } from "./support/soak.ts";
import { inside } from "./support/stage.ts";
import { doomCuts } from "./support/stop-points.ts";

const seed = Number(process.env["SOAK_SEED"] ?? Math.floor(Math.random() * 1_000_000));

/**
 * Seconds from the server's readiness to the first sign of an interrupted run: the promised 15, and some for the
 * request itself.
 */
const takenUpWithin = 20;

/** Enough regular threads for each kill to interrupt several runs. */
const cast = (["t1", "t2", "t3", "t4", "t5", "t6"] as const)
  .map((name): { name: string; role: Role } => ({ name, role: "regular" }))
  .concat(
    ["stop1", "stop2", "stop3"].map((name) => ({ name, role: "stopper" })),
    { name: "doomed", role: "doomed" },
  );

describe(`kills, seed ${String(seed)}`, () => {
  let soak: Soak;
  let drained: Map<string, DrainedThread>;

  beforeAll(async () => {
    console.log(`SOAK_SEED=${String(seed)}`);
    soak = await openSoak(seed, cast);
    const plans = planLives(seed);
    for (const index of plans.keys()) await liveAndDie(soak, plans, index);
    drained = await drain(soak);
    console.log(summary(soak));
  });
  afterAll(async () => {
    await soak?.close();
  });

  // A text, so that the line of a failed test names what was found.
  const broken = (rule: string): string => soak.findings.of(rule).join("\n");

  it("The server is killed at least fifty times, half of them inside a stream or a tool, and a third without a client", () => {
    const { kills } = soak;
    expect(kills.length).toBeGreaterThanOrEqual(50);
    const within = kills.filter(({ moment }) => moment !== null && inside.includes(moment.at));
    const planned = within.filter(({ plan }) => plan.place === "inside");
    expect(planned.length * 2).toBeGreaterThanOrEqual(kills.length);
    expect(kills.filter(({ company }) => company === "alone").length * 3).toBeGreaterThanOrEqual(kills.length);
    expect(soak.effects.repetitions).toBeGreaterThan(0);
    expect(soak.effects.reconciled).toBeGreaterThan(0);
  });

  it("SURV2 Every input whose admission was confirmed is stored, in order, each with its answer after it", () => {
    expect(broken("SURV2")).toBe("");
  });

  it("SURV3 Every interrupted run continues, also without a client", () => {
    expect(broken("SURV3")).toBe("");
    const alone = soak.observer.recoveries.filter(({ company }) => company === "alone");
    expect(alone.length).toBeGreaterThan(10);
    expect(Math.max(...alone.map(({ seconds }) => seconds))).toBeLessThan(takenUpWithin);
  });

  it("SURV4 A call of a tool that may run again takes effect once, and a call of any other tool takes effect at most once", () => {
    expect(broken("SURV4")).toBe("");
    const { effects } = soak.effects;
    expect(new Set(effects.map(({ mark, call }) => `${mark} ${call}`)).size).toBe(effects.length);
  });

  it("SURV5 The model was never sent a call without its result", () => {
    expect(broken("SURV5")).toBe("");
  });

  it("SURV6 A client that reconnects after every kill has the complete transcript, and loses no final event", () => {
    expect(broken("SURV6")).toBe("");
    // Proves that kills interrupted answers while clients followed them.
    expect(soak.actors.reduce((sum, { follower }) => sum + follower.halves, 0)).toBeGreaterThan(0);
  });

  it("SURV7 No event number is used twice after any kill", () => {
    expect(broken("SURV7")).toBe("");
  });

  it("SURV8 If the server is killed repeatedly at the same request of a run, the run ends with recovery_failed and its thread continues", () => {
    const [doomed] = actorsOf(soak, "doomed");
    const [first, second] = doomed?.turns ?? [];
    expect(soak.models.requested(first?.mark ?? "", 0)).toBe(doomCuts);
    const [given, next] = drained.get("doomed")?.runs ?? [];
    expect(given).toMatchObject({ status: "error", error: { code: "recovery_failed" } });
    expect(next).toMatchObject({ status: "completed" });
    expect(second?.ended).toBe("completed");
  });

  it("SURV9 A stop of an interrupted run survives another kill, and nothing of the run continues", () => {
    expect(broken("SURV9")).toBe("");
    for (const { name, turns } of actorsOf(soak, "stopper")) {
      expect(turns[0]?.stoppedIn).not.toBeNull();
      expect(drained.get(name)?.runs.map(({ status }) => status)).toEqual(["stopped", "completed"]);
    }
  });
});
