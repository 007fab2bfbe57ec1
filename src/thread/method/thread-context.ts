// The context of a thread: what the next request to its model contains so far, as a step would plan it. Nothing is written.

import type { ContextQuery, ThreadContext } from "#contract/context-route.ts";
import { refuse } from "#contract/error.ts";
import type { ChildThreads } from "#core/ports/child-thread-port.ts";
import { StepBuilder } from "#flow/request/step-builder.ts";
import { sectionSources } from "#flow/request/system-prompt.ts";
import { mainParticipant } from "#flow/strategy/participant.ts";
import { answerForms } from "#flow/strategy/structured-answer.ts";
import { agentTools } from "#flow/tool-source/agent-tools.ts";
import { clientTools } from "#flow/tool-source/client-tools.ts";
import { projectTools } from "#flow/tool-source/project-tools.ts";
import { promptTools } from "#flow/tool-source/prompt-tools.ts";

import { definitionAccess } from "../run/definition-access.ts";
import type { DefinitionContext } from "../run/definition-access.ts";
import { carriedOn, firstSide, messagesBefore } from "../run/earlier-messages.ts";
import { threadProjections } from "../run/thread-projections.ts";
import { threadSkills, threadToolSources } from "../run/thread-tool-sources.ts";
import type { ToolSourceContext } from "../run/thread-tool-sources.ts";
import type { OpenThread } from "./loaded-thread.ts";
import type { MethodGroup } from "./method-call.ts";
import { knownBranch } from "./thread-messages.ts";

export const contextMethods: MethodGroup<"threadContext"> = {
  threadContext: ({ thread }, query) => threadContext(thread(), query),
};

/** No step is executed, so no child thread is started. */
const noChildren: ChildThreads = {
  depth: 0,
  newId: () => "",
  start: () => Promise.reject(new Error("The context of a thread starts no child threads.")),
  stop: () => {},
};

/** The parts of a thread that its next request is described from. */
type DescribedThread = DefinitionContext & ToolSourceContext & Pick<OpenThread, "background">;

async function threadContext(context: DescribedThread, query: ContextQuery): Promise<ThreadContext> {
  const { live, definitions } = context;
  const { clock, faults } = context.deployment;
  const { last_position, active_run_id } = live.record;
  const branch = knownBranch(live, query.branch);
  const isCurrent = branch === live.record.branch;
  const run = active_run_id === null || !isCurrent ? null : live.store.run(active_run_id);
  const start = run ?? { branch, after_position: last_position };
  const own = run === null ? [] : live.store.messagesAfter(run.branch, run.after_position);
  const agent = () => definitions.agent(live.record.agent_id);
  const side = own.findLast((message) => message.side !== null)?.side ?? firstSide(live, start, await agent());
  const { state, hooks } = definitionAccess(context);
  // The projections of compacted conversations are those of the current branch.
  const projections = isCurrent ? threadProjections(live, []) : null;
  const skills = threadSkills(context);
  const toolSources = threadToolSources(context);
  const steps: StepBuilder = new StepBuilder(
    {
      definitions,
      hooks,
      faults,
      clock,
      tools: (builderFor, chosenSkills) => [
        projectTools(definitions, { state, clock, faults }),
        promptTools(definitions, builderFor),
        agentTools(definitions, { children: noChildren, clock, faults }),
        clientTools(() => live.record.setup?.tools ?? [], clock),
        ...toolSources.sources,
        skills.tools(chosenSkills),
      ],
      sections: sectionSources(definitions, skills.section),
      own: () => own,
      files: context.files,
      projections: { get: (of) => projections?.get(of), set: () => {} },
    },
    mainParticipant(
      { definitions },
      {
        agent,
        side: () => side,
        formOf: answerForms(definitions, run === null ? undefined : (run.structure ?? carriedOn(live, run)?.structure)),
        earlier: (limit, range) => messagesBefore(live, start, { limit, range }).toReversed(),
      },
    ),
  );
  const described = await steps.describe().finally(() => context.background(toolSources.close()));
  if ("problem" in described) throw refuse("conflict", described.problem.message);
  return described;
}
