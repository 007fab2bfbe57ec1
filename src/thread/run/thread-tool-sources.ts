// The sources of tools of definitions that have many tools, such as MCP servers, and of the skills, for one run or one call of a thread.

import type { Authorizations } from "#core/ports/authorization-port.ts";
import type { AskQuestion } from "#core/ports/question-port.ts";
import { skillSources } from "#flow/request/skill-sources.ts";
import type { SkillSources } from "#flow/request/skill-sources.ts";
import type { Definitions } from "#flow/setup/project-definitions.ts";
import { definedSources } from "#flow/tool-source/defined-tools.ts";
import type { DefinedSources } from "#flow/tool-source/defined-tools.ts";
import type { ManagedThreadFiles } from "#store/files/file-system.ts";

import type { DeployedThread } from "../live/live-thread.ts";
import type { ThreadAuthorizations } from "../owner-authorizations.ts";

/** What the tools of a run can use. A call that code of a definition invokes cannot ask questions. */
interface RunParts {
  signal?: AbortSignal | undefined;
  ask?: AskQuestion;
  /** Authorizations that emit an event for each server to which the run needs access. Default: those of the thread. */
  authorizations?: Authorizations;
  /** Counts the texts that the calls of tools with a prefix requested in the run. */
  requestedTexts?: (prefix: string) => number;
}

/** The parts of a thread from which its skills are read. */
export interface SkillContext extends DeployedThread {
  definitions: Definitions;
  files: ManagedThreadFiles;
}

/** The parts of a thread that its sources of tools need. */
export interface ToolSourceContext extends SkillContext {
  authorizations: ThreadAuthorizations;
}

/** Creates the sources, which the caller has to close. Nothing is loaded before a name with a definition's prefix is resolved. */
export function threadToolSources(context: ToolSourceContext, run: RunParts = {}): DefinedSources {
  const { definitions, files, live } = context;
  const { clock, connection, faults, log, models, outbound } = context.deployment;
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
export function threadSkills({ definitions, deployment: { faults, log }, files, live }: SkillContext): SkillSources {
  return skillSources(definitions.skills, {
    files,
    faults,
    log: (level, event, fields) => log(level, event, { thread_id: live.record.id, ...fields }),
  });
}
