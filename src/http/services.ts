// The services that all routes share, built once from the dependencies.

import { v4 as randomId } from "uuid";

import { consoleLog, type Log } from "#lib/log-port.ts";
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
import type { SubscriptionPorts } from "./bridge/thread-subscription.ts";
import type { AppDependencies } from "./dependencies.ts";
import { unlimited } from "./limit/rate-limiter.ts";
import { createUserLeases, noUserLeases } from "./limit/user-leases.ts";
import type { UserLeases } from "./limit/user-leases.ts";
import { createUserLimits, noUserLimits } from "./limit/user-limits.ts";
import type { UserLimits } from "./limit/user-limits.ts";
import { createCallThread } from "./thread/call-thread.ts";
import type { CallThread } from "./thread/call-thread.ts";

/** The shared services. */
export interface Services {
  dependencies: AppDependencies;
  settings: AuthSettings;
  authenticator: Authenticator;
  /** Null if there is no key to sign tickets with. */
  tickets: Tickets | null;
  allowedOrigins: AllowedOrigins;
  limits: UserLimits;
  leases: UserLeases;
  ports: SubscriptionPorts;
  callThread: CallThread;
  log: Log;
}

/** Builds the services. Writes each invalid variable to the log, once. */
export function createServices(dependencies: AppDependencies): Services {
  const { variables, now, threads } = dependencies;
  const log = dependencies.log ?? consoleLog;
  const warn = (variable: string, message: string): void => {
    log("error", "bad_configuration", { variable, message });
  };
  const settings = readAuthSettings(variables, dependencies.authenticate);
  if (settings.state === "closed") warn("authentication", settings.reason);
  if (ticketsAreOff(settings)) {
    log("warning", "tickets_off", { variable: "TICKET_SECRET", message: ticketsOff });
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
  const timers = dependencies.timers ?? platformTimers;
  const limitSettings = {
    admissions: readLimit("LIMIT_ADMISSIONS_PER_MINUTE", 60),
    changes: readLimit("LIMIT_CHANGES_PER_MINUTE", 300),
    invocations: readLimit("LIMIT_INVOCATIONS_PER_MINUTE", 60),
    lists: readLimit("LIMIT_LISTS_PER_MINUTE", 300),
    searches: readLimit("LIMIT_SEARCHES_PER_MINUTE", 120),
    platform: dependencies.admissions ?? unlimited,
    now,
  };
  // A generated `.dev.vars` sets this variable, with or without tokens; a deployment does not set it.
  const isLocal = variables.OPEN_LOOPBACK === "true";
  const placeSettings = {
    feeds: dependencies.feeds,
    timers,
    now,
    streams: readLimit("LIMIT_OPEN_STREAMS", 20),
    runs: readLimit("LIMIT_ACTIVE_RUNS", 10),
    log,
  };
  const isOpen = settings.state === "open_loopback";
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
    limits: isOpen ? noUserLimits : createUserLimits(limitSettings),
    leases: isOpen ? noUserLeases : createUserLeases(placeSettings),
    ports: { timers, now, random: dependencies.random ?? (() => Math.random()) },
    callThread: createCallThread(threads),
    log,
  };
}

type LimitName =
  | "LIMIT_ADMISSIONS_PER_MINUTE"
  | "LIMIT_CHANGES_PER_MINUTE"
  | "LIMIT_INVOCATIONS_PER_MINUTE"
  | "LIMIT_LISTS_PER_MINUTE"
  | "LIMIT_SEARCHES_PER_MINUTE"
  | "LIMIT_OPEN_STREAMS"
  | "LIMIT_ACTIVE_RUNS";

function ticketsOf(settings: AuthSettings, now: () => number): Tickets | null {
  switch (settings.state) {
    case "own":
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
