// The form of a refusal because of a wrong setting, and the bodies in which providers send their texts.

import type { AnyModelDefinition } from "#spec/index.ts";

export interface HintCase {
  of: string;
  definition: Partial<AnyModelDefinition> & Pick<AnyModelDefinition, "provider" | "model">;
  env: Record<string, string>;
  /** The response; an error of the connection if it has no status. */
  status: number | null;
  headers?: Record<string, string>;
  body: unknown;
  /** The provider's own text in the failure. */
  text: string;
  /** Texts of the failure that name what to change. */
  names: readonly string[];
  /** The host that refuses. The others answer with an access token. Absent: each host refuses. */
  host?: string;
}

type Refusal = readonly [status: number | null, text: string, names: readonly string[], more?: Partial<HintCase>];
type Base = Pick<HintCase, "definition" | "env"> & { body: (text: string, status: number | null) => unknown };

export function cases(of: string, { definition, env, body }: Base, refusals: readonly Refusal[]): HintCase[] {
  return refusals.map(([status, text, names, more]) => ({
    of,
    definition,
    env,
    status,
    text,
    names,
    body: body(text, status),
    ...more,
  }));
}

export const ofOpenai = (text: string) => ({
  error: { message: text, type: "invalid_request_error", param: null, code: null },
});
export const ofAnthropic = (text: string) => ({
  type: "error",
  error: { type: "invalid_request_error", message: text },
});
export const ofGoogle = (text: string, code: number | null) => ({ error: { code, message: text, status: "UNKNOWN" } });
