// The state of one run of the suite: the project and its state folder, the external servers, the threads, and the
// violations found. It lasts through all lives of the server.

import { copyProject } from "../../e2e/support/project-copy.ts";
import type { ProjectCopy } from "../../e2e/support/project-copy.ts";
import { Actor } from "./actor.ts";
import type { Role } from "./actor.ts";
import { type EffectDesk, openEffectDesk } from "./effect-desk.ts";
import { Findings } from "./findings.ts";
import { Follower } from "./follower.ts";
import type { Company, LifePlan } from "./life-plan.ts";
import { type ModelDesk, openModelDesk } from "./model-desk.ts";
import { Observer } from "./observer.ts";
import { addSoakAgent, soakVariables } from "./soak-agents.ts";
import type { SoakStart } from "./soak-server.ts";
import { Stage } from "./stage.ts";
import type { Moment } from "./stage.ts";

/** A kill that took place. */
export interface Kill {
  plan: LifePlan;
  /** Whether a client was really present. */
  company: Company;
  /** The moment of its star; null if the kill did not wait for it. */
  moment: Moment | null;
  /** The number of threads that were paused in a request. */
  cut: number;
}

/** One run of the suite. */
export interface Soak {
  readonly seed: number;
  readonly findings: Findings;
  readonly actors: readonly Actor[];
  readonly observer: Observer;
  readonly stage: Stage;
  readonly models: ModelDesk;
  readonly effects: EffectDesk;
  readonly project: ProjectCopy;
  readonly kills: Kill[];
  /** The threads may have been stored for longer than a call waits for its child thread. */
  isOld: boolean;
  /** Variables of the Worker. */
  readonly variables: Record<string, string>;
  close: () => Promise<void>;
}

/** Opens a run of the suite with threads of these names and roles. */
export async function openSoak(seed: number, cast: readonly { name: string; role: Role }[]): Promise<Soak> {
  const findings = new Findings();
  const actors = cast.map(({ name, role }, index) => {
    return new Actor(name, role, new Follower(name, index % 2 === 0 ? "sse" : "socket", findings));
  });
  const observer = new Observer(actors, findings);
  const stage = new Stage((moment) => observer.received(moment));
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
    observer,
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

/** How a server of this run is started, with this project or with the one at `root`. */
export function servedBy({ project, variables }: Soak, root = project.root): SoakStart {
  return { state: project.state("soak"), variables, project: root };
}

/** The threads of a role. */
export function actorsOf({ actors }: Soak, role: Role): Actor[] {
  return actors.filter((actor) => actor.role === role);
}
