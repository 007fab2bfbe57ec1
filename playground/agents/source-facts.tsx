// The facts of a source of tools on its page: its server, its state, and its tools. The texts come from the server, and
// are shown as text only.

import type { ReactElement } from "react";

import { Button } from "../kit/button.tsx";
import { ErrorNote, LoadingNote } from "../kit/note.tsx";
import { useAgo } from "../kit/now.ts";
import { Facts, Part } from "./definition-facts.tsx";
import { DefinitionLink } from "./definition-link.tsx";
import type { Source } from "./definition.ts";
import { MissingKeys } from "./missing-keys.tsx";
import { useSource } from "./use-source.ts";
import type { LoadedSource, SourceState } from "./use-source.ts";

import css from "./definition.module.css";

/** The name of each kind of source. */
const kindTexts: Readonly<Record<Source["kind"], string>> = { mcp: "MCP server", openapi: "OpenAPI document" };

/** Whether the person who opens the page has connected to a server with OAuth. */
const connectionTexts = { none: null, authorized: "connected", required: "not connected; connect in a conversation" };

export function SourceFacts({ source: { name, kind, prefix } }: { source: Source }): ReactElement {
  const loaded = useSource(name, { atOnce: true });
  const { state } = loaded;
  return (
    <>
      <SourceTrouble name={name} loaded={loaded} />
      <Part title="Source">
        <Facts
          facts={[
            ["Kind", kindTexts[kind]],
            ["Names of its tools", <code key="names">{prefix}__…</code>],
            ["Host", state?.host],
            [kind === "mcp" ? "Server" : "Document", state?.version],
            ["State", state === undefined ? null : stateText(state)],
            ["Your connection", connectionTexts[state?.authorization ?? "none"]],
          ]}
        />
        <LoadAgain loaded={loaded} />
      </Part>
      {state === undefined || state.tools.length === 0 ? null : (
        <Part title="Tools">
          <ul className={css["tools"]}>
            {state.tools.map((tool) => (
              <li key={tool.name}>
                <DefinitionLink kind="tool" name={tool.name} />
                <p className={css["about"]}>{shortText(tool.description)}</p>
              </li>
            ))}
          </ul>
        </Part>
      )}
      {state === undefined || state.omitted_tools.length === 0 ? null : (
        <Part title="Tools that cannot be used">
          <Facts facts={state.omitted_tools.map((tool) => [tool.name, tool.problem])} />
        </Part>
      )}
    </>
  );
}

/** What prevents the use of a source: unset variables, the error of its server, or that of the request. */
export function SourceTrouble({ name, loaded }: { name: string; loaded: LoadedSource }): ReactElement {
  const { state, error, isLoading, load } = loaded;
  return (
    <>
      <MissingKeys missing={(state?.unset_variables ?? []).map((variable) => ({ variable }))} />
      {error === null ? null : (
        <ErrorNote title={`The tools of “${name}” could not be loaded`} error={error} onRetry={load} />
      )}
      {state === undefined || state.error === null ? null : (
        <ErrorNote title="The source does not work" error={state.error} />
      )}
      {state === undefined && isLoading ? <LoadingNote what="the tools" /> : null}
    </>
  );
}

function LoadAgain({ loaded: { state, isLoading, loadedAt, load } }: { loaded: LoadedSource }): ReactElement | null {
  const passed = useAgo(loadedAt);
  if (state === undefined) return null;
  return (
    <p className={css["actions"]}>
      <Button small disabled={isLoading} onClick={load}>
        {isLoading ? "Loading the tools" : "Load the tools again"}
      </Button>
      <span className={css["aside"]}>{passed === "now" ? "Loaded now" : `Loaded ${passed} ago`}</span>
    </p>
  );
}

/** The state of a source in a few words. */
export function stateText({ error, tools }: SourceState): string {
  if (error !== null) return "failed";
  return `reachable, ${tools.length} ${tools.length === 1 ? "tool" : "tools"}`;
}

/** The maximum length of a description in a list. The tool's page shows the whole description. */
const longest = 240;

function shortText(text: string): string {
  return text.length <= longest ? text : `${text.slice(0, longest).toWellFormed()}…`;
}
