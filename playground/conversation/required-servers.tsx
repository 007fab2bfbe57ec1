// The MCP servers to which the thread's owner has to connect before a run can use their tools. The card names the host of
// the sign-in page before the page opens, in another window, because the server chooses the host. The thread's updates show
// when the person has connected.

import { useState } from "react";
import type { ReactElement } from "react";
import type { ThreadHandle } from "threadhold/client";
import { useThreadholdClient } from "threadhold/react";

import { Button } from "../kit/button.tsx";
import { FormEnd } from "../kit/field.tsx";
import { ErrorNote } from "../kit/note.tsx";

import css from "./pending.module.css";

interface RequiredServersProps {
  handle: ThreadHandle;
  /** The servers that are required now. */
  required: readonly { server: string }[];
}

/** A card for each server. The card of a server stays after the person has connected, until the person continues. */
export function RequiredServers({ handle, required }: RequiredServersProps): ReactElement | null {
  const [shown, setShown] = useState<readonly string[]>([]);
  const added = required.map(({ server }) => server).filter((server) => !shown.includes(server));
  if (added.length > 0) setShown([...shown, ...added]);
  if (shown.length === 0) return null;
  return (
    <section className={css["pending"]} aria-label="Servers to connect to">
      {shown.map((server) => (
        <ServerCard
          key={server}
          handle={handle}
          server={server}
          isRequired={required.some((each) => each.server === server)}
          onClose={() => setShown((all) => all.filter((each) => each !== server))}
        />
      ))}
    </section>
  );
}

/** Opens a page in another window, which has no access to this one. Called by a click, so that the browser permits the window. */
function openPage(address: URL): void {
  window.open(address, "_blank", "noopener,noreferrer");
}

interface ServerCardProps {
  handle: ThreadHandle;
  server: string;
  isRequired: boolean;
  onClose: () => void;
}

function ServerCard({ handle, server, isRequired, onClose }: ServerCardProps): ReactElement {
  const client = useThreadholdClient();
  /** The address of the sign-in page. It is valid once. */
  const [signIn, setSignIn] = useState<URL | null>(null);
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const act = async (work: () => Promise<void>): Promise<void> => {
    setBusy(true);
    setError(null);
    try {
      await work();
    } catch (thrown) {
      setError(thrown);
    }
    setBusy(false);
  };
  const begin = async (): Promise<void> => {
    const route = "POST /api/threads/:id/mcp/:server/authorization";
    const { authorization_url: address } = await client.request(route, { params: { id: handle.id, server } });
    const page = URL.parse(address);
    if (page === null || !/^https?:$/.test(page.protocol)) {
      throw new Error("The address of the sign-in page is no web address.");
    }
    setSignIn(page);
  };
  const proceed = async (): Promise<void> => {
    await handle.messages.post({ content: `I have connected to ${server}. Please continue.` });
    onClose();
  };
  return (
    <article className={css["call"]} aria-label={`Connection to ${server}`}>
      <header className={css["head"]}>
        <code className={css["name"]}>{server}</code>
        <span>{isRequired ? "needs your sign-in before its tools can be used" : "is connected"}</span>
      </header>
      {isRequired && signIn !== null ? (
        <p className={css["question"]} role="status">
          You sign in to {server} at <strong>{signIn.host}</strong>, in another window. Go on only if you know this
          host.
        </p>
      ) : null}
      {error === null ? null : <ErrorNote title={`${server} could not be connected`} error={error} />}
      <FormEnd>
        {isRequired ? (
          <>
            {signIn === null ? null : (
              <Button disabled={busy} onClick={() => void act(begin)}>
                Begin again
              </Button>
            )}
            <Button
              kind="primary"
              disabled={busy}
              onClick={() => (signIn === null ? void act(begin) : openPage(signIn))}
            >
              {signIn === null ? `Connect to ${server}` : "Open the sign-in page"}
            </Button>
          </>
        ) : (
          <>
            <Button onClick={onClose}>Close</Button>
            <Button kind="primary" disabled={busy} onClick={() => void act(proceed)}>
              Continue
            </Button>
          </>
        )}
      </FormEnd>
    </article>
  );
}
