// Runs a strategy that the project defines. Its decisions are checked and bounded, because a strategy may throw, take too long or never
// end the turn. Each of these ends the run with an error; the stored steps stay.

import { z } from "zod";

import { planStepSchema } from "#contract/event.ts";
import { jsonObjectSchema, jsonSchema } from "#contract/json.ts";
import type { Json } from "#contract/json.ts";
import type { Clock } from "#core/ports/clock.ts";
import type { StepOutcome } from "#core/ports/strategy-port.ts";
import type { TurnDecision, TurnStrategy } from "#core/strategy/turn-strategy.ts";
import { errorMessage, jsonBytes } from "#lib/cut-text.ts";
import { waitWithin } from "#lib/time-limit.ts";
import type { AnyStrategyDefinition, StrategyStep, WorkerEnv } from "#spec/index.ts";

/** How long a decision may take, in milliseconds. */
const decisionMs = 30_000;

/**
 * The number of steps in a row without a tool call after which the run ends with an error. Otherwise a strategy that never ends the turn
 * would spend tokens until a limit is reached.
 */
const idleSteps = 50;

/** The maximum number of bytes of JSON of a strategy's state and plan together: each row of the turn contains both. */
const stateLimit = 64 * 1024;

/**
 * The maximum number of bytes of JSON of a decision: its instruction and its outcome are in rows, which must not become too large to be
 * stored.
 */
const decisionLimit = 256 * 1024;

const decisionSchema = z.discriminatedUnion("type", [
  z.strictObject({
    type: z.literal("step"),
    state: jsonSchema.optional(),
    phase: z.string().min(1).max(100).optional(),
    instruction: z.string().min(1).optional(),
    silent: z.boolean().optional(),
    tools: z.array(z.string()).optional(),
    toolChoice: z.enum(["auto", "none", "required"]).optional(),
    structure: z
      .strictObject({ name: z.string().regex(/^[\w-]{1,64}$/), schema: jsonObjectSchema })
      .nullable()
      .optional(),
    plan: z.array(planStepSchema).optional(),
  }),
  z.strictObject({ type: z.literal("end"), outcome: jsonSchema.optional(), plan: z.array(planStepSchema).optional() }),
]);

/** The stored state: `own` is the state of the project's strategy, `idle` the number of steps since the last one with a tool call. */
const storedSchema = z.object({ own: jsonSchema, idle: z.number() });

export function customStrategy(
  { name, next }: AnyStrategyDefinition,
  {
    clock,
    env,
    redact = (text) => text,
  }: { clock: Clock; env: WorkerEnv; redact?: ((text: string) => string) | undefined },
): TurnStrategy {
  const failed = (problem: string): TurnDecision => ({
    next: { type: "failed", reason: "strategy_failed", message: `The strategy "${name}" ${problem}` },
  });

  async function decide(last: StepOutcome | null, state: Json): Promise<z.infer<typeof decisionSchema>> {
    const answered: unknown = await waitWithin(
      async () => next({ last: last === null ? null : specStep(last), state: structuredClone(state), env }),
      {
        timers: clock,
        milliseconds: decisionMs,
        onTimeout: () => {
          throw new Error(`It did not decide within ${decisionMs / 1000} seconds.`);
        },
      },
    );
    return decisionSchema.parse(answered);
  }

  return {
    name,
    async next(last, stored) {
      const { own, idle } = storedSchema.safeParse(stored).data ?? { own: null, idle: 0 };
      const steps = last === null || last.calls.length > 0 ? 0 : idle + 1;
      if (steps >= idleSteps) return failed(`took ${idleSteps} steps in a row without a tool call.`);
      try {
        const decision = await decide(last, own);
        if (jsonBytes(decision) > decisionLimit)
          return failed(`returned a decision of more than ${decisionLimit} bytes.`);
        const { plan } = decision;
        const changed = plan === undefined ? {} : { plan };
        if (decision.type === "end") {
          const outcome = decision.outcome === undefined ? {} : { outcome: decision.outcome };
          return { next: { type: "end", reason: "strategy", ...outcome }, ...changed };
        }
        const { type: _, state = null, plan: __, instruction, ...shape } = decision;
        if (jsonBytes(state) + jsonBytes(plan ?? []) > stateLimit) {
          return failed(`returned a state and a plan that together exceed ${stateLimit} bytes.`);
        }
        const kept = instruction === undefined ? {} : { instruction: { text: instruction, keep: true } };
        return {
          next: { type: "step", shape: { ...withoutUndefined(shape), ...kept } },
          state: { own: state, idle: steps },
          ...changed,
        };
      } catch (thrown) {
        const problem = thrown instanceof z.ZodError ? z.prettifyError(thrown) : errorMessage(thrown);
        return failed(`failed: ${redact(problem)}`);
      }
    },
  };
}

/** The settings of a step without fields whose value is undefined, which the stored state must not contain. */
function withoutUndefined<Shape extends object>(
  shape: Shape,
): { [Field in keyof Shape]: Exclude<Shape[Field], undefined> } {
  const given = Object.entries(shape).filter(([, value]) => value !== undefined);
  return Object.fromEntries(given) as { [Field in keyof Shape]: Exclude<Shape[Field], undefined> };
}

function specStep({ message_id, text, thinking, data, calls, stop_reason, usage, cost }: StepOutcome): StrategyStep {
  return structuredClone({
    messageId: message_id,
    text,
    thinking,
    ...(data === undefined ? {} : { data }),
    calls: calls.map(({ call, result }) => ({
      id: call.id,
      name: call.name,
      arguments: call.arguments,
      isError: result.status === "error",
      result: result.error ?? result.result ?? "",
    })),
    stopReason: stop_reason,
    tokens: { input: usage?.input ?? 0, output: usage?.output ?? 0 },
    cost,
  });
}
