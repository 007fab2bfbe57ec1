// The first page: every agent of the project, with its models and tools, and starters that one click sends.

import type { ReactElement } from "react";
import { Link } from "wouter";

import { AgentParts } from "../agents/agent-parts.tsx";
import { definitionPath } from "../agents/definition.ts";
import { useAgents } from "../agents/use-agents.ts";
import type { KnownAgent } from "../agents/use-agents.ts";
import { Button, IconButton, PlainButton } from "../kit/button.tsx";
import { EmptyNote, ErrorNote, LoadingNote } from "../kit/note.tsx";
import { useNewThread } from "../threads/use-new-thread.ts";
import { usePageTitle } from "./page-title.ts";

import css from "./start-page.module.css";

export function StartPage(): ReactElement {
  usePageTitle("Start");
  const { agents, loading, error, retry } = useAgents();
  const create = useNewThread();
  return (
    <div className={css["page"]}>
      <header className={css["head"]}>
        <h1 className={css["title"]}>Start a thread</h1>
        <p className={css["lead"]}>
          Each agent of this project is a few files in <code>agents/</code>.
        </p>
      </header>
      <div className={css["state"]}>
        {create.error === null ? null : <ErrorNote title="The thread was not started" error={create.error} />}
        {error === null ? null : <ErrorNote title="The agents could not be listed" error={error} onRetry={retry} />}
        {loading ? <LoadingNote what="agents" /> : null}
        {!loading && error === null && agents.length === 0 ? (
          <EmptyNote title="There are no agents yet">
            Put one into <code>agents/agents/</code>; it is served as soon as the file is saved.
          </EmptyNote>
        ) : null}
      </div>
      <ul className={css["agents"]} hidden={agents.length === 0}>
        {agents.map((known) => (
          <AgentEntry
            key={known.agent.name}
            known={known}
            busy={create.isPending}
            onStart={(say) => create.mutate({ thread: { agent_id: known.agent.name }, say })}
          />
        ))}
      </ul>
    </div>
  );
}

interface AgentEntryProps {
  known: KnownAgent;
  busy: boolean;
  onStart: (say?: string) => void;
}

function AgentEntry({ known, busy, onStart }: AgentEntryProps): ReactElement {
  const { agent, missing } = known;
  const starters = missing === null ? agent.starters : [];
  return (
    <li className={css["agent"]} data-ready={missing === null}>
      <div className={css["about"]}>
        <h2 className={css["name"]}>
          <Link href={definitionPath({ kind: "agent", name: agent.name })}>{agent.title}</Link>
        </h2>
        <p className={css["what"]}>
          {agent.description ?? (agent.type === "dual_ai" ? "Two models talk to each other." : "")}
        </p>
        <AgentParts known={known} />
        {missing === null ? null : (
          <p className={css["missing"]}>
            Set <code>{missing}</code> in <code>.dev.vars</code> to use it.
          </p>
        )}
      </div>
      <div className={css["begin"]}>
        {starters.length === 0 ? (
          <Button small disabled={busy} onClick={() => onStart()} aria-label={`Empty thread with ${agent.title}`}>
            Empty thread
          </Button>
        ) : (
          <>
            <div className={css["starters"]}>
              {starters.map((starter) => (
                <PlainButton key={starter} className={css["starter"]} disabled={busy} onClick={() => onStart(starter)}>
                  <span className="visually-hidden">Start {agent.title} with: </span>
                  {starter}
                </PlainButton>
              ))}
            </div>
            <IconButton
              icon="plus"
              label={`Empty thread with ${agent.title}`}
              disabled={busy}
              onClick={() => onStart()}
            />
          </>
        )}
      </div>
    </li>
  );
}
