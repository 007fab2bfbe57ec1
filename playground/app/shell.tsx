// The frame of every page: the bar at the top, the list of threads at the side, and the keyboard shortcuts of all
// pages.

import { Suspense, lazy, useState } from "react";
import type { ReactElement, ReactNode } from "react";
import { Link, useLocation } from "wouter";

import { useAccess } from "../access/access.tsx";
import { callerName, useCaller } from "../access/use-caller.ts";
import { useNotificationsWanted } from "../inbox/notify/notification-choice.ts";
import { Button, IconButton } from "../kit/button.tsx";
import { Icon } from "../kit/icon.tsx";
import { Menu } from "../kit/menu.tsx";
import { PartBoundary } from "../kit/part-boundary.tsx";
import { ThreadList } from "../threads/thread-list-panel.tsx";
import { HealthNote } from "./health-note.tsx";
import { isWithin, namedPages } from "./pages.ts";
import { OutageNote } from "./reach-gate.tsx";
import { useShortcuts } from "./shortcuts.ts";
import type { Shortcuts } from "./shortcuts.ts";
import { chooseTheme, useTheme } from "./theme.ts";
import { Wordmark } from "./wordmark.tsx";

import css from "./shell.module.css";

const Palette = lazy(async () => {
  const { Palette: found } = await import("../palette/palette.tsx");
  return { default: found };
});

const CallNotifications = lazy(async () => ({
  default: (await import("../inbox/notify/call-notifications.tsx")).CallNotifications,
}));

const KeysDialog = lazy(async () => {
  const { KeysDialog: found } = await import("./keys-dialog.tsx");
  return { default: found };
});

const NewThreadDialog = lazy(async () => {
  const { NewThreadDialog: found } = await import("../threads/new-thread-dialog.tsx");
  return { default: found };
});

const ImportDialog = lazy(async () => {
  const { ImportDialog: found } = await import("../threads/import-dialog.tsx");
  return { default: found };
});

/** The frame. On a phone the list is the start page, and an open thread replaces it. */
export function Shell({ children }: { children: ReactNode }): ReactElement {
  const [path, navigate] = useLocation();
  const [creating, setCreating] = useState(false);
  const [importing, setImporting] = useState<{ file: File | null } | null>(null);
  const [helping, setHelping] = useState(false);
  const [commanding, setCommanding] = useState(false);
  const theme = useTheme();
  const notifies = useNotificationsWanted();
  const { signedIn, signOut } = useAccess();
  const caller = useCaller();
  const name = caller === undefined ? "…" : callerName(caller);
  useShortcuts({
    "mod+k": () => setCommanding(true),
    n: () => setCreating(true),
    "?": () => setHelping(true),
    ...pageKeys(navigate),
    "/": () => document.getElementById("thread-search")?.focus(),
  });
  return (
    <div className={css["shell"]} data-at={path === "/" ? "start" : "page"}>
      <a className={css["skip"]} href="#main">
        Skip to the page
      </a>
      <header className={css["bar"]}>
        <Link href="/" className={css["home"] ?? ""} aria-label="Threadhold, start">
          <Wordmark />
        </Link>
        <nav className={css["pages"]} aria-label="Pages">
          {namedPages.map((page) => (
            <Link
              key={page.path}
              href={page.path}
              className={css["place"] ?? ""}
              aria-current={isWithin(path, page) ? "page" : undefined}
            >
              {page.icon === undefined ? (
                page.title
              ) : (
                <>
                  <span className={css["placeIcon"]}>
                    <Icon name={page.icon} />
                  </span>
                  <span className={css["placeTitle"]}>{page.title}</span>
                </>
              )}
              {page.Count === undefined ? null : <page.Count />}
            </Link>
          ))}
        </nav>
        <Button kind="quiet" small className={css["command"]} onClick={() => setCommanding(true)}>
          <Icon name="command" />
          <span>Commands</span>
          <kbd>{isMac ? "⌘K" : "Ctrl K"}</kbd>
        </Button>
        <Menu
          trigger={<IconButton icon="theme" label="Theme" />}
          entries={(["system", "light", "dark"] as const).map((one) => ({
            label: one === "system" ? "As the system" : one === "light" ? "Light" : "Dark",
            chosen: theme === one,
            run: () => chooseTheme(one),
          }))}
        />
        {signedIn ? (
          <Menu
            trigger={
              <Button kind="quiet" small aria-label={`Signed in as ${name}`}>
                <span className={css["accountMark"]}>
                  <Icon name="user" />
                </span>
                <span className={css["accountName"]}>{name}</span>
              </Button>
            }
            entries={[{ label: `Sign out ${name}`, run: signOut }]}
          />
        ) : null}
      </header>
      <OutageNote />
      <HealthNote />
      <div className={css["body"]}>
        <nav className={css["side"]} aria-label="Threads">
          <ThreadList onNew={() => setCreating(true)} onImport={(file) => setImporting({ file })} />
        </nav>
        <main id="main" className={css["main"]} tabIndex={-1}>
          {children}
        </main>
      </div>
      {notifies ? (
        <PartBoundary>
          <Suspense>
            <CallNotifications />
          </Suspense>
        </PartBoundary>
      ) : null}
      {creating ? (
        <PartBoundary onClose={() => setCreating(false)}>
          <Suspense>
            <NewThreadDialog onClose={() => setCreating(false)} />
          </Suspense>
        </PartBoundary>
      ) : null}
      {importing === null ? null : (
        <PartBoundary onClose={() => setImporting(null)}>
          <Suspense>
            <ImportDialog file={importing.file} onClose={() => setImporting(null)} />
          </Suspense>
        </PartBoundary>
      )}
      {helping ? (
        <PartBoundary onClose={() => setHelping(false)}>
          <Suspense>
            <KeysDialog onClose={() => setHelping(false)} />
          </Suspense>
        </PartBoundary>
      ) : null}
      {commanding ? (
        <PartBoundary onClose={() => setCommanding(false)}>
          <Suspense>
            <Palette
              onClose={() => setCommanding(false)}
              onNew={() => setCreating(true)}
              onImport={() => setImporting({ file: null })}
              onKeys={() => setHelping(true)}
            />
          </Suspense>
        </PartBoundary>
      ) : null}
    </div>
  );
}

/** The shortcuts that open pages. */
function pageKeys(navigate: (path: string) => void): Shortcuts {
  return Object.fromEntries(
    namedPages.flatMap(({ key, path }) => (key === undefined ? [] : [[key.toLowerCase(), () => navigate(path)]])),
  );
}

const isMac = /Mac|iPhone|iPad/.test(navigator.userAgent);
