// The sources of tools of definitions that have many tools, such as MCP servers, and of the skills, for one run or one call of a thread.

import type { Authorizations } from "#core/ports/authorization-port.ts";
import type { AskQuestion } from "#core/ports/question-port.ts";
import { skillSources } from "#flow/request/skill-sources.ts";
import type { SkillSources } from "#flow/request/skill-sources.ts";
import { definedSources } from "#flow/tool-source/defined-tools.ts";
import type { DefinedSources } from "#flow/tool-source/defined-tools.ts";

import type { ObjectContext } from "../object-context.ts";

/** What the tools of a run can use. A call that code of a definition invokes cannot ask questions. */
interface RunParts {
  signal?: AbortSignal | undefined;
  ask?: AskQuestion;
  /** Authorizations that emit an event for each server to which the run needs access. Default: those of the thread. */
  authorizations?: Authorizations;
  /** Counts the texts that the calls of tools with a prefix requested in the run. */
  requestedTexts?: (prefix: string) => number;
}

/** Creates the sources, which the caller has to close. Nothing is loaded before a name with a definition's prefix is resolved. */
export function threadToolSources(context: ObjectContext, run: RunParts = {}): DefinedSources {
  const { clock, connection, definitions, faults, files, live, log, models, outbound } = context;
  const { toolSources, hash } = definitions;
  return definedSources(toolSources, {
    fetch: outbound,
    files,
    clock,
    env: connection.env,
    log: (level, event, fields) => log(level, event, { thread_id: live.record.id, ...fields }),
    threadId: live.record.id,
    userId: live.record.user_id,
    authorizations: context.authorizations,
    hash,
    faults,
    models,
    model: (name) => definitions.model(name),
    ...run,
  });
}

/** Opens the skills of the project and of the thread. Reads nothing before a prompt uses skills. */
export function threadSkills({ definitions, faults, files, live, log }: ObjectContext): SkillSources {
  return skillSources(definitions.skills, {
    files,
    faults,
    log: (level, event, fields) => log(level, event, { thread_id: live.record.id, ...fields }),
  });
}
