// Checks a value by a JSON Schema of any of the drafts 4 to 2020-12, with every keyword that makes a statement about values. Schema and value
// may both come from outside: the work is bounded, the check stops at the first problems, and it never throws.
//
// Not checked are `format` and the keywords about contents, which are annotations, patterns that need more than linear time, references to other
// documents, and keywords with an invalid value. A value is refused only if it breaks the schema whatever these would say.

import type { Json, JsonObject } from "#contract/json.ts";
import { cutText } from "#lib/cut-text.ts";

import { keywords } from "./keywords.ts";
import { pathText, SchemaCheck, fails } from "./schema-check.ts";
import type { ProblemList } from "./schema-check.ts";
import { SchemaBoundError, schemaBounds, SchemaWork } from "./schema-work.ts";
import type { SchemaBounds } from "./schema-work.ts";

/** The maximum number of problems that are reported, and of bytes of their text. */
const mostProblems = 10;
const mostBytes = 4000;

/** The result of a check, with the number of comparisons that it took. */
export type SchemaVerdict =
  | { ok: true; comparisons: number }
  | {
      ok: false;
      /** Sentences that a model or a person can act on. */
      problem: string;
      /** The check needs more work than its bounds allow, so the value is neither right nor wrong. */
      isTooMuch: boolean;
      comparisons: number;
    };

/** Checks a value. Contract: never throws, and changes nothing. */
export function checkBySchema(
  schema: JsonObject | boolean,
  value: Json,
  bounds: SchemaBounds = schemaBounds,
): SchemaVerdict {
  const work = new SchemaWork(bounds);
  const problems: ProblemList = { most: mostProblems, details: 2, found: [] };
  const check = new SchemaCheck(schema, { work, problems, keywords });
  try {
    const outcome = check.apply(check.node(schema, check.resources.root), value, null);
    const { comparisons } = work;
    return outcome === fails ? mismatch(problems, comparisons) : { ok: true, comparisons };
  } catch (thrown) {
    // The platform refuses calls that are nested too deeply with a RangeError.
    const bound = thrown instanceof SchemaBoundError ? thrown.bound : thrown instanceof RangeError ? "depth" : null;
    if (bound === null) throw thrown;
    const { comparisons } = work;
    // A problem that was found before is certain.
    if (problems.found.length > 0) return mismatch(problems, comparisons);
    return {
      ok: false,
      problem: cutText(boundText(bound, bounds, check), mostBytes),
      isTooMuch: true,
      comparisons,
    };
  }
}

function mismatch({ found }: ProblemList, comparisons: number): SchemaVerdict {
  const lines = found.map(({ path, message }) => `${pathText(path) || "(top level)"}: ${message}`);
  return { ok: false, problem: cutText(lines.join("; "), mostBytes), isTooMuch: false, comparisons };
}

function boundText(bound: keyof SchemaBounds, bounds: SchemaBounds, check: SchemaCheck): string {
  const at = check.path.length === 0 ? "" : ` at ${pathText(check.path)}`;
  if (bound === "depth") {
    return (
      `The check needs more than ${bounds.depth} schemas inside one another${at}. ` +
      "The schema may refer to itself without an end. Use a schema and values that are less nested."
    );
  }
  let largest = { applied: 0, alternatives: 0 };
  for (const { applied, alternatives } of check.nodes.values()) {
    if (applied * alternatives > largest.applied * largest.alternatives) largest = { applied, alternatives };
  }
  const part =
    largest.alternatives < 2
      ? ""
      : ` (${largest.alternatives} alternatives for each of ${largest.applied} values and more)`;
  return `The check needs more than ${bounds.comparisons} comparisons${part}; it ended${at || " at the top level"}. Use a simpler schema or fewer values.`;
}
