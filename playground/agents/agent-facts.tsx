// The facts of an agent on its page: its sides, when each of them ends, and its latest threads.

import type { ReactElement } from "react";

import { Button } from "../kit/button.tsx";
import { ErrorNote } from "../kit/note.tsx";
import { useNewThread } from "../threads/use-new-thread.ts";
import { Facts, Part } from "./definition-facts.tsx";
import { DefinitionLink } from "./definition-link.tsx";
import type { Agent } from "./definition.ts";
import { LatestThreads } from "./latest-threads.tsx";

import css from "./definition.module.css";

/** Buttons that start a thread with the agent, empty or with one of its starters. */
export function StartThread({ agent, ready }: { agent: Agent; ready: boolean }): ReactElement {
  const create = useNewThread();
  return (
    <>
      <div className={css["actions"]}>
        <Button
          kind="primary"
          disabled={create.isPending}
          onClick={() => create.mutate({ thread: { agent_id: agent.name } })}
        >
          {create.isPending ? "Starting…" : "Start a thread"}
        </Button>
        {(ready ? agent.starters : []).map((starter) => (
          <Button
            key={starter}
            disabled={create.isPending}
            onClick={() => create.mutate({ thread: { agent_id: agent.name }, say: starter })}
          >
            Say “{starter}”
          </Button>
        ))}
      </div>
      {create.error === null ? null : <ErrorNote title="The thread was not started" error={create.error} />}
    </>
  );
}

export function AgentFacts({ agent }: { agent: Agent }): ReactElement {
  const { name, type, sideA, sideB, exposeAsTool, toolDescription, maxSessionTurns } = agent;
  const dual = type === "dual_ai" && sideB !== null;
  return (
    <>
      <Part title="Agent">
        <Facts
          facts={[
            ["Conversation", dual ? "Between two models" : "Between a model and a person"],
            ["Maximum turns per session", maxSessionTurns === null ? null : String(maxSessionTurns)],
            ["Description as a tool", toolDescription],
            ["Exposed as a tool", exposeAsTool ? "yes" : null],
          ]}
        />
      </Part>
      <Part title={dual ? "Side A" : "Side"}>
        <SideFacts side={sideA} />
      </Part>
      {dual ? (
        <Part title="Side B">
          <SideFacts side={sideB} />
        </Part>
      ) : null}
      <Part title="Latest threads">
        <LatestThreads agent={name} />
      </Part>
    </>
  );
}

function SideFacts({ side }: { side: Agent["sideA"] }): ReactElement {
  const { label, prompt, strategy, stopOnResponse, stopTool, stopToolResponseProperty, maxSteps, endSessionTool } =
    side;
  const tool = (name: string | null): ReactElement | null =>
    name === null ? null : <DefinitionLink kind="tool" name={name} />;
  return (
    <Facts
      facts={[
        ["Label", label],
        ["Prompt", <DefinitionLink key="prompt" kind="prompt" name={prompt} />],
        ["Strategy", strategy],
        ["Maximum steps per turn", maxSteps === null ? "the limit of the deployment" : String(maxSteps)],
        ["End of a turn", stopOnResponse ? "with an answer without tool calls" : "an answer alone does not end it"],
        ["Stop tool", tool(stopTool)],
        ["Tool that ends the session", tool(endSessionTool)],
        [
          "Property of the result",
          stopToolResponseProperty === null ? null : <code key="outcome">{stopToolResponseProperty}</code>,
        ],
      ]}
    />
  );
}
