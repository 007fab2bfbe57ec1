// The command palette: all commands of the keyboard, found by their text. It is loaded when it is first opened.

import { Dialog as Base } from "@base-ui/react/dialog";
import { Command } from "cmdk";
import type { ReactElement } from "react";
import { useThreads } from "threadhold/react";
import { useLocation, useRoute } from "wouter";

import { useAccess } from "../access/access.tsx";
import { definitionPath, definitionsPath, keyOf, referencesOf } from "../agents/definition.ts";
import { useAgents } from "../agents/use-agents.ts";
import { useDefinitions } from "../agents/use-definitions.ts";
import { namedPages } from "../app/pages.ts";
import { chooseTheme } from "../app/theme.ts";
import { filesAddress } from "../files/file-address.ts";
import { ago } from "../kit/figures.ts";
import { useNow } from "../kit/now.ts";
import { useHidden } from "../threads/deletions.tsx";
import { threadPath, useAgentTitle, useNameOf } from "../threads/thread-title.ts";
import { useNewThread } from "../threads/use-new-thread.ts";
import { tracePath } from "../trace/trace-path.ts";

import css from "./palette.module.css";

interface PaletteProps {
  onClose: () => void;
  onNew: () => void;
  onImport: () => void;
  onKeys: () => void;
}

/** Whether an entry contains every typed word. */
function holdsWords(value: string, typed: string): number {
  const name = value.toLowerCase();
  const words = typed.toLowerCase().split(/\s+/);
  return words.every((word) => name.includes(word)) ? 1 : 0;
}

/** The palette; it is mounted only while it is open. */
export function Palette({ onClose, onNew, onImport, onKeys }: PaletteProps): ReactElement {
  const [, navigate] = useLocation();
  const [, open] = useRoute("/threads/:id/*?");
  const { threads } = useThreads({ limit: 50 });
  const nameOf = useNameOf();
  const agentTitle = useAgentTitle();
  const hidden = useHidden();
  const { agents } = useAgents();
  const { set } = useDefinitions();
  const { signedIn, signOut } = useAccess();
  const create = useNewThread();
  const now = useNow();
  const [, route] = useRoute(/^\/threads\/(?<id>[^/]+)/);
  const shown = route?.["id"];
  const then = (run: () => void) => () => {
    onClose();
    run();
  };
  return (
    <Base.Root open onOpenChange={(open) => (open ? undefined : onClose())}>
      <Base.Portal>
        <Base.Backdrop className={css["backdrop"]} />
        <Base.Popup className={css["popup"]} aria-label="Commands">
          <Command label="Commands" loop filter={holdsWords}>
            <Command.Input className={css["input"]} placeholder="A thread, an agent, a command" autoFocus />
            <Command.List className={css["list"]}>
              <Command.Empty className={css["empty"]}>Nothing is called that.</Command.Empty>
              <Command.Group heading="This page">
                {open === null ? null : (
                  <>
                    <Command.Item
                      value="trace of this thread runs steps"
                      onSelect={then(() => navigate(tracePath(open["id"] ?? "")))}
                    >
                      Trace of this thread
                    </Command.Item>
                    <Command.Item
                      value="events log of this thread"
                      onSelect={then(() => navigate(`${threadPath(open["id"] ?? "")}?log=open`))}
                    >
                      Event log of this thread
                    </Command.Item>
                    <Command.Item
                      value="context of this thread tokens window request"
                      onSelect={then(() => navigate(`${threadPath(open["id"] ?? "")}?context=open`))}
                    >
                      Context of this thread
                    </Command.Item>
                  </>
                )}
                <Command.Item onSelect={then(() => document.getElementById("composer")?.focus())}>
                  Write a message<kbd>C</kbd>
                </Command.Item>
                <Command.Item onSelect={then(() => document.getElementById("thread-search")?.focus())}>
                  Search threads<kbd>/</kbd>
                </Command.Item>
                {shown === undefined ? null : (
                  <Command.Item
                    value="files of this thread tree upload"
                    onSelect={then(() => navigate(filesAddress(shown, { path: "/", folder: true })))}
                  >
                    Files of this thread
                  </Command.Item>
                )}
                <Command.Item value="keyboard shortcuts help" onSelect={then(onKeys)}>
                  Keyboard shortcuts<kbd>?</kbd>
                </Command.Item>
                <Command.Item onSelect={then(() => navigate("/"))}>Go to the start</Command.Item>
                {namedPages.map(({ path, title, key, search }) =>
                  search === undefined ? null : (
                    <Command.Item key={path} value={search} onSelect={then(() => navigate(path))}>
                      {title}
                      {key === undefined ? null : <kbd>{key}</kbd>}
                    </Command.Item>
                  ),
                )}
                <Command.Item onSelect={then(() => chooseTheme("light"))}>Light theme</Command.Item>
                <Command.Item onSelect={then(() => chooseTheme("dark"))}>Dark theme</Command.Item>
                <Command.Item onSelect={then(() => chooseTheme("system"))}>System theme</Command.Item>
                {signedIn ? <Command.Item onSelect={then(signOut)}>Sign out</Command.Item> : null}
              </Command.Group>
              <Command.Group heading="Start a thread">
                <Command.Item value="new thread with title tags messages" onSelect={then(onNew)}>
                  New thread…<kbd>N</kbd>
                </Command.Item>
                <Command.Item value="import a thread from a file" onSelect={then(onImport)}>
                  Import a thread…
                </Command.Item>
                {agents.map(({ agent: { name, title }, missing }) => (
                  <Command.Item
                    key={name}
                    value={`new thread with ${title} ${name}`}
                    onSelect={then(() => create.mutate({ thread: { agent_id: name } }))}
                  >
                    New thread with {title}
                    {missing === null ? null : <span className={css["aside"]}>needs {missing}</span>}
                  </Command.Item>
                ))}
              </Command.Group>
              <Command.Group heading="Threads">
                {threads
                  .filter(({ id }) => !hidden.has(id))
                  .map((thread) => (
                    <Command.Item
                      key={thread.id}
                      value={`${nameOf(thread)} ${thread.agent_id} ${thread.id}`}
                      onSelect={then(() => navigate(threadPath(thread.id)))}
                    >
                      {nameOf(thread)}
                      <span className={css["aside"]}>
                        {agentTitle(thread.agent_id)} · {ago(thread.updated_at, now)}
                      </span>
                    </Command.Item>
                  ))}
              </Command.Group>
              <Command.Group heading="Definitions">
                <Command.Item onSelect={then(() => navigate(definitionsPath))}>Definitions</Command.Item>
                {(set === undefined ? [] : referencesOf(set)).map((one) => (
                  <Command.Item
                    key={keyOf(one)}
                    value={`definition ${one.kind} ${one.name}`}
                    onSelect={then(() => navigate(definitionPath(one)))}
                  >
                    {one.name}
                    <span className={css["aside"]}>{one.kind}</span>
                  </Command.Item>
                ))}
              </Command.Group>
            </Command.List>
          </Command>
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  );
}
