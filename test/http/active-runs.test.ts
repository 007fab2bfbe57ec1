// How many of a user's threads may be at work at a time.
import { describe, expect, it } from "vitest";

import type { RunStatus } from "#contract/run.ts";
import type { Caller } from "#core/thread-rpc.ts";
import { createActiveRuns } from "#http/limit/active-runs.ts";

const anna: Caller = { user: "anna", admin: false };
const bernd: Caller = { user: "bernd", admin: false };
const admin: Caller = { user: null, admin: true };

function setting(most: number) {
  const statuses = new Map<string, RunStatus>();
  const asked: string[] = [];
  const runs = createActiveRuns(most);
  const statusOf = (thread: string) => {
    asked.push(thread);
    return Promise.resolve(statuses.get(thread) ?? null);
  };
  const admit = async (caller: Caller, thread: string) => {
    await runs.check(caller, thread, statusOf);
    runs.began(caller, thread, `run of ${thread}`);
    statuses.set(thread, "running");
  };
  return { admit, asked, statuses };
}

describe("threads at work", () => {
  it("HTTP31: beyond the bound another thread is refused, until one of them is done", async () => {
    const { admit, asked, statuses } = setting(2);
    await admit(anna, "a");
    await admit(anna, "b");
    expect(asked).toEqual([]);
    await expect(admit(anna, "c")).rejects.toMatchObject({ code: "rate_limited", refusal: { retry_after_ms: 5000 } });
    statuses.set("a", "completed");
    await admit(anna, "c");
    await expect(admit(anna, "d")).rejects.toMatchObject({ code: "rate_limited" });
    statuses.delete("b");
    await admit(anna, "d");
  });

  it("HTTP31: one that waits for somebody outside is not at work", async () => {
    const { admit, statuses } = setting(1);
    await admit(anna, "a");
    statuses.set("a", "awaiting_tool_execution");
    await admit(anna, "b");
    await expect(admit(anna, "c")).rejects.toMatchObject({ code: "rate_limited" });
  });

  it("HTTP31: a thread that is at work takes further inputs, and other users and admins are not counted", async () => {
    const { admit } = setting(1);
    await admit(anna, "a");
    await admit(anna, "a");
    await admit(bernd, "b");
    for (const thread of ["x", "y", "z"]) await admit(admin, thread);
    await expect(admit(anna, "c")).rejects.toMatchObject({ code: "rate_limited" });
  });
});
