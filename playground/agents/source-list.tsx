// Sources of tools in lists: their last known state on the page of all definitions, and their tools on the page of a
// prompt. A person loads them by a button, because each request reaches the server of the source.

import type { ReactElement } from "react";

import { Button } from "../kit/button.tsx";
import { wordsOf } from "../kit/note.tsx";
import { Facts, Part } from "./definition-facts.tsx";
import { DefinitionLink } from "./definition-link.tsx";
import { sourceOf } from "./definition.ts";
import type { DefinitionSet, Prompt } from "./definition.ts";
import { offersOf } from "./relations.ts";
import { stateText } from "./source-facts.tsx";
import { useSource } from "./use-source.ts";

import css from "./source-list.module.css";

/** The last known state of a source, and a button to load it. */
export function SourceLine({ name }: { name: string }): ReactElement {
  const { state, error, isLoading, load } = useSource(name, { atOnce: false });
  const trouble = error === null ? (state?.error ?? null) : wordsOf(error);
  const unset = (state?.unset_variables ?? []).map((variable) => `needs ${variable}`);
  return (
    <div className={css["line"]}>
      {state === undefined ? null : (
        <span className={css["state"]}>
          {[stateText(state), ...[state.host, state.version].filter((fact) => fact !== null)].join(" · ")}
        </span>
      )}
      {[...unset, ...(trouble === null ? [] : [trouble])].map((text) => (
        <span key={text} className={css["trouble"]}>
          {text}
        </span>
      ))}
      <Button small disabled={isLoading} onClick={load}>
        {isLoading ? "Loading" : "Load"} tools<span className="visually-hidden"> of {name}</span>
        {state === undefined || isLoading ? "" : " again"}
      </Button>
    </div>
  );
}

/** The entries of a prompt that name tools of sources, each with these tools. Renders nothing without such entries. */
export function PromptSources({ prompt, set }: { prompt: Prompt; set: DefinitionSet }): ReactElement | null {
  const entries = offersOf(prompt).flatMap((entry) => {
    const source = sourceOf(entry, set);
    return source === undefined ? [] : [{ entry, source: source.name }];
  });
  if (entries.length === 0) return null;
  return (
    <Part title="Tools of sources">
      <Facts
        facts={entries.map(({ entry, source }) => [entry, <Expanded key={entry} entry={entry} source={source} />])}
      />
    </Part>
  );
}

/** The tools that an entry such as `docs__*` names. */
function Expanded({ entry, source }: { entry: string; source: string }): ReactElement {
  const { state } = useSource(source, { atOnce: false });
  if (!entry.endsWith("*")) return <DefinitionLink kind="tool" name={entry} />;
  const tools = state?.tools ?? [];
  return (
    <>
      <span className={css["tools"]}>
        {tools.map(({ name }) => (
          <DefinitionLink key={name} kind="tool" name={name} />
        ))}
      </span>
      <SourceLine name={source} />
    </>
  );
}
