// Everything of one run of the suite: the project and its state folder, the servers outside, the threads, and what was found.
// A server of the project comes and goes; this stays.

import { copyProject } from "../../e2e/support/project-copy.ts";
import type { ProjectCopy } from "../../e2e/support/project-copy.ts";
import { Actor } from "./actor.ts";
import type { Role } from "./actor.ts";
import { type EffectDesk, openEffectDesk } from "./effect-desk.ts";
import { Findings } from "./findings.ts";
import { Follower } from "./follower.ts";
import type { Company, LifePlan } from "./life-plan.ts";
import { type ModelDesk, openModelDesk } from "./model-desk.ts";
import { addSoakAgent, soakVariables } from "./soak-agents.ts";
import type { SoakStart } from "./soak-server.ts";
import { Stage } from "./stage.ts";
import type { Moment } from "./stage.ts";
import { Witness } from "./witness.ts";

/** A kill that was. */
export interface Kill {
  plan: LifePlan;
  /** Who was really there. */
  company: Company;
  /** The moment of its star; null where it was not waited for. */
  moment: Moment | null;
  /** Threads that were held in a request of theirs. */
  cut: number;
}

/** One run of the suite. */
export interface Soak {
  readonly seed: number;
  readonly findings: Findings;
  readonly actors: readonly Actor[];
  readonly witness: Witness;
  readonly stage: Stage;
  readonly models: ModelDesk;
  readonly effects: EffectDesk;
  readonly project: ProjectCopy;
  readonly kills: Kill[];
  /** Its threads may have waited longer than a call waits for its child. */
  isOld: boolean;
  /** Arguments of the dev command. */
  readonly variables: string[];
  close: () => Promise<void>;
}

/** Opens it with threads of these names and roles. */
export async function openSoak(seed: number, cast: readonly { name: string; role: Role }[]): Promise<Soak> {
  const findings = new Findings();
  const actors = cast.map(({ name, role }, index) => {
    return new Actor(name, role, new Follower(name, index % 2 === 0 ? "sse" : "socket", findings));
  });
  const witness = new Witness(actors, findings);
  const stage = new Stage((moment) => witness.seen(moment));
  const marksOf = (name: string): string[] =>
    actors.filter((actor) => actor.name === name).flatMap(({ turns }) => turns.map(({ mark }) => mark));
  const models = await openModelDesk({ stage, findings, saidIn: marksOf });
  const effects = await openEffectDesk(stage, findings);
  const project = copyProject();
  addSoakAgent(project, effects.url);
  return {
    seed,
    findings,
    actors,
    witness,
    stage,
    models,
    effects,
    project,
    kills: [],
    isOld: false,
    variables: soakVariables(models.url),
    async close() {
      stage.end();
      await Promise.all([models.close(), effects.close()]);
      project.remove();
    },
  };
}

/** How a server of this run is started, by this project or by another one. */
export function servedBy({ project, variables }: Soak, root = project.root): SoakStart {
  return { state: project.state("soak"), variables, project: root };
}

/** The threads of a kind. */
export function actorsOf({ actors }: Soak, role: Role): Actor[] {
  return actors.filter((actor) => actor.role === role);
}
