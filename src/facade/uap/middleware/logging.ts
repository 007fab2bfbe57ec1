// The middleware `logging`: writes a line when an execution begins, when it ends, and for each tool call. Lines contain messages only with
// `includeMessages`. Every line is redacted: an API key that the agent's settings contain as a text, the values of their headers, and texts
// in the form of common keys are removed. A logger that fails changes no execution.

import { errorMessage } from "#lib/cut-text.ts";
import { causeOf, consoleLog } from "#lib/log-port.ts";
import { systemClock } from "#lib/system-clock.ts";
import { createRedact } from "#models/redact.ts";

import { refusal } from "../../upp/upp-error.ts";
import type { ToolExecution } from "../../upp/upp-tool.ts";
import type { Agent, GenerateResult, Middleware, MiddlewareContext } from "../agent-contract.ts";
import { loggedMessages } from "./logged-messages.ts";

/** The level of a line, from the least to the most important. */
export type LoggingLevel = "debug" | "info" | "warn" | "error";

/** Data about a line, for a logger that stores it. */
export interface LoggedFacts {
  level: LoggingLevel;
  agentId: string;
  /** The state that the execution began with, or the one that it ended with. */
  stateId: string;
  /** Milliseconds since the execution began. */
  duration?: number;
}

/** Options of `logging`. */
export interface LoggingOptions {
  /**
   * The least important level that is written. `debug`: tool calls; `info`: beginning and end of executions; `warn`: failed tool calls;
   * `error`: failed executions. Default: `info`.
   */
  level?: LoggingLevel;
  /**
   * Writes a line. Its promise is not awaited. A failure is logged as `agent_line_not_logged` and changes nothing else. Default:
   * `console.log` with the line alone.
   */
  logger?: (line: string, facts: LoggedFacts) => unknown;
  /** Writes the contents of the messages. The bytes of images and files are written as their number. Default: false. */
  includeMessages?: boolean;
  /** Writes the durations of executions and calls. Default: true. */
  includeTiming?: boolean;
}

const levels: readonly LoggingLevel[] = ["debug", "info", "warn", "error"];

/** The key in the metadata of a middleware context for the time at which the execution began, in milliseconds since 1970. */
const startKey = "logging.startedAt";

/** Creates the middleware. */
export function logging(options: LoggingOptions = {}): Middleware {
  const { level: least = "info", includeMessages = false, includeTiming = true } = options;
  const { logger = (line: string) => console.log(line) } = options;
  if (!levels.includes(least)) throw refusal(`The level of logging() is "${least}". Use ${levels.join(", ")}.`);

  /** Writes a line. The text is created only for a level that is written. */
  const write = (facts: LoggedFacts, agent: Agent, text: () => string): void => {
    if (levels.indexOf(facts.level) < levels.indexOf(least)) return;
    const line = createRedact(secretsOf(agent))(`[agent ${facts.agentId}] ${text()}`);
    try {
      Promise.resolve(logger(line, facts)).catch(logFailure);
    } catch (error) {
      logFailure(error);
    }
  };
  const messagesText = (messages: Parameters<typeof loggedMessages>[0]): string =>
    includeMessages ? `\n${loggedMessages(messages)}` : "";
  const callText = ({ toolName, duration, isError, arguments: args, result }: ToolExecution): string => {
    const outcome = isError ? "failed" : "completed";
    const contents = includeMessages ? `: ${JSON.stringify({ arguments: args, result })}` : "";
    return `Tool "${toolName}" ${outcome}${includeTiming ? ` in ${Math.round(duration)} ms` : ""}${contents}`;
  };
  const durationOf = ({ metadata }: MiddlewareContext): Pick<LoggedFacts, "duration"> => {
    const start = metadata[startKey];
    return includeTiming && typeof start === "number" ? { duration: systemClock.now() / 1000 - start } : {};
  };

  return {
    name: "logging",
    before(context) {
      const { agent, state, input, metadata } = context;
      metadata[startKey] ??= systemClock.now() / 1000;
      write({ level: "info", agentId: agent.id, stateId: state.id }, agent, () => {
        return `Execution started; earlier messages: ${state.messages.length}.${messagesText([input])}`;
      });
    },
    after(context, result) {
      const { agent } = context;
      const { turn, state } = result;
      const facts = { agentId: agent.id, stateId: state.id };
      for (const execution of turn.toolExecutions) {
        write({ level: execution.isError ? "warn" : "debug", ...facts }, agent, () => callText(execution));
      }
      const took = durationOf(context);
      write(
        { level: "info", ...facts, ...took },
        agent,
        () => `${endText(result, took)}${messagesText(turn.messages)}`,
      );
      return result;
    },
    onError(context, error) {
      const { agent, state } = context;
      const took = durationOf(context);
      const code = "code" in error && typeof error.code === "string" ? `${error.code}: ` : "";
      write({ level: "error", agentId: agent.id, stateId: state.id, ...took }, agent, () => {
        return `Execution failed${durationText(took)}. ${code}${errorMessage(error)}`;
      });
    },
  };
}

function logFailure(error: unknown): void {
  consoleLog("error", "agent_line_not_logged", { cause: causeOf(error) });
}

function endText({ turn }: GenerateResult, took: Pick<LoggedFacts, "duration">): string {
  const { cycles, toolExecutions, usage } = turn;
  const counts = `answers: ${cycles}, tool calls: ${toolExecutions.length}, tokens: ${usage.totalTokens}`;
  return `Execution completed${durationText(took)}; ${counts}.`;
}

function durationText({ duration }: Pick<LoggedFacts, "duration">): string {
  return duration === undefined ? "" : ` in ${Math.round(duration)} ms`;
}

/** The connection settings that may be secret: the API key, and the values of headers. */
function secretsOf({ model, config }: Agent): string[] {
  return [model?.config, config].flatMap((settings) => {
    const { apiKey, headers = {} } = settings ?? {};
    return [...(typeof apiKey === "string" ? [apiKey] : []), ...Object.values(headers)];
  });
}
