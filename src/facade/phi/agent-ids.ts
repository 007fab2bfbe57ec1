// The ids of an agent: of itself, of its session and of its loops (REQ-188, 189, 215).

import { AgentOptions } from "./agent-builders.ts";
import type { AgentLoopConfig } from "./loop-config.ts";
import { LoopError } from "./loop-error.ts";
import { configSegment, newId } from "./loop-identity.ts";
import { providerIdOf } from "./provider/provider-id.ts";

/** An agent's ids and counters. */
export class AgentSession extends AgentOptions {
  readonly agentId: string = newId();
  sessionId: string = newId();
  /** Whether a loop runs. */
  isStreaming = false;
  /** The number of loops of the session by `{session_id}.{segment}`. */
  loopCounters: Record<string, number> = {};
  lastLoopId: string | null = null;
  /** When the agent was last prompted. */
  lastActiveAt: Date | null = null;

  /** Begins a session: a new id, and no loops. Returns the id. Throws a LoopError while a loop runs. */
  newSession(): string {
    this.assertIdle("newSession");
    this.sessionId = newId();
    this.loopCounters = {};
    this.lastLoopId = null;
    this.lastActiveAt = null;
    return this.sessionId;
  }

  /** Begins a session if the last prompt is longer ago than this. Returns the id of the new session; null if none began. */
  checkAndRotate(thresholdMs: number, now: Date = new Date()): string | null {
    if (!(Number.isFinite(thresholdMs) && thresholdMs >= 0))
      throw new LoopError(
        `The threshold of checkAndRotate is ${String(thresholdMs)}. It has to be milliseconds, at least 0.`,
      );
    if (this.lastActiveAt === null || now.getTime() - this.lastActiveAt.getTime() <= thresholdMs) return null;
    return this.newSession();
  }

  /** The id of the next loop: session, segment and number (REQ-189). Only this function counts. */
  nextLoopId(config: AgentLoopConfig): string {
    const segment = configSegment({
      configId: config.configId,
      providerId: providerIdOf(config),
      model: config.modelConfig.id,
      thinkingLevel: config.thinkingLevel,
    });
    const key = `${this.sessionId}.${segment}`;
    const number = (this.loopCounters[key] ?? 0) + 1;
    this.loopCounters[key] = number;
    this.lastLoopId = `${key}.${number}`;
    return this.lastLoopId;
  }

  /** Throws a LoopError while a loop runs. */
  protected assertIdle(what: string): void {
    if (!this.isStreaming) return;
    throw new LoopError(
      `\`${what}\` cannot be called while a loop runs. Use \`steer\` or \`followUp\`, or \`abort\` first.`,
    );
  }
}
