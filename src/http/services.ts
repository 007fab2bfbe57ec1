// What the routes share, built once from the dependencies.

import { v4 as randomId } from "uuid";

import { platformTimers } from "#lib/timers.ts";

import { readAuthSettings, ticketsAreOff, ticketsOff } from "./auth/auth-settings.ts";
import type { AuthSettings } from "./auth/auth-settings.ts";
import { createAuthenticator } from "./auth/authenticate.ts";
import type { Authenticator } from "./auth/authenticate.ts";
import { withLoopbackOrigins } from "./auth/loopback.ts";
import { parseAllowedOrigins } from "./auth/origin.ts";
import type { AllowedOrigins } from "./auth/origin.ts";
import { createTickets } from "./auth/ticket.ts";
import type { Tickets } from "./auth/ticket.ts";
import type { SubscriptionPorts } from "./bridge/subscription.ts";
import type { AppDependencies } from "./dependencies.ts";
import { createActiveRuns } from "./limit/active-runs.ts";
import type { ActiveRuns } from "./limit/active-runs.ts";
import { createUserLimits, noUserLimits } from "./limit/user-limits.ts";
import type { UserLimits } from "./limit/user-limits.ts";
import { createRouteTable } from "./route/route-table.ts";
import type { RouteTable } from "./route/route-table.ts";
import { createThreadCalls } from "./thread/thread-calls.ts";
import type { ThreadCalls } from "./thread/thread-calls.ts";

/** The shared parts. */
export interface Services {
  dependencies: AppDependencies;
  settings: AuthSettings;
  authenticator: Authenticator;
  /** Null where there is nothing to sign tickets with. */
  tickets: Tickets | null;
  allowedOrigins: AllowedOrigins;
  limits: UserLimits;
  activeRuns: ActiveRuns;
  ports: SubscriptionPorts;
  calls: ThreadCalls;
  table: RouteTable;
  report: (line: string) => void;
}

/** Builds them. Says in the log, once, which variables make no sense. */
export function createServices(dependencies: AppDependencies): Services {
  const { variables, now, threads, registry } = dependencies;
  const report = dependencies.report ?? ((line: string) => console.error(line));
  const warn = (variable: string, message: string): void => {
    report(JSON.stringify({ level: "error", event: "bad_configuration", variable, message }));
  };
  const settings = readAuthSettings(variables);
  if (settings.state === "closed") warn("authentication", settings.reason);
  if (ticketsAreOff(settings)) {
    report(JSON.stringify({ level: "warning", event: "tickets_off", variable: "TICKET_SECRET", message: ticketsOff }));
  }
  const listed = parseAllowedOrigins(variables.ALLOWED_ORIGINS);
  const allowedOrigins = settings.state === "open_loopback" ? withLoopbackOrigins(listed) : listed;
  if (listed.size === 0 && (variables.ALLOWED_ORIGINS ?? "").trim() !== "") {
    warn("ALLOWED_ORIGINS", "Not a comma list of origins such as https://app.example; no origin is allowed.");
  }
  const readLimit = (name: LimitName, standard: number): number => {
    const text = variables[name];
    if (text === undefined || /^[1-9]\d{0,8}$/.test(text)) return Number(text ?? standard);
    warn(name, `Not a positive whole number; ${String(standard)} is used.`);
    return standard;
  };
  const limitSettings = {
    admissionsPerMinute: readLimit("LIMIT_ADMISSIONS_PER_MINUTE", 60),
    openStreams: readLimit("LIMIT_OPEN_STREAMS", 20),
    admissions: dependencies.admissions,
    now,
  };
  // A new `.dev.vars` has it, beside tokens too, and no deployment does.
  const isLocal = variables.OPEN_LOOPBACK === "true";
  const fetchKeys = dependencies.fetch ?? ((input: RequestInfo | URL, init?: RequestInit) => fetch(input, init));
  return {
    dependencies,
    settings,
    authenticator: createAuthenticator(settings, {
      now,
      fetch: fetchKeys,
      allowedOrigins,
      isLocal,
    }),
    tickets: ticketsOf(settings, now),
    allowedOrigins,
    limits: settings.state === "open_loopback" ? noUserLimits : createUserLimits(limitSettings),
    activeRuns: createActiveRuns(
      settings.state === "open_loopback" ? Number.POSITIVE_INFINITY : readLimit("LIMIT_ACTIVE_RUNS", 10),
    ),
    ports: { timers: dependencies.timers ?? platformTimers, now },
    calls: createThreadCalls(threads),
    table: createRouteTable(registry.routes),
    report,
  };
}

type LimitName = "LIMIT_ADMISSIONS_PER_MINUTE" | "LIMIT_OPEN_STREAMS" | "LIMIT_ACTIVE_RUNS";

function ticketsOf(settings: AuthSettings, now: () => number): Tickets | null {
  switch (settings.state) {
    case "configured": {
      const { ticketSecret } = settings;
      return ticketSecret === null ? null : createTickets(() => ticketSecret, now);
    }
    case "open_loopback":
      return createTickets(randomId, now);
    case "closed":
      return null;
  }
}
