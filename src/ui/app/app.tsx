// The playground as a whole: who may come in, and what each address shows.

import type { ReactElement } from "react";
import { Route, Switch } from "wouter";

import { AccessGate } from "../access/access.tsx";
import { ConversationPage } from "../conversation/conversation-page.tsx";
import { EmptyNote } from "../kit/note.tsx";
import { DeletionsProvider } from "../threads/deletions.tsx";
import { Shell } from "./shell.tsx";
import { StartPage } from "./start-page.tsx";

/** Everything. */
export function App(): ReactElement {
  return (
    <AccessGate>
      <DeletionsProvider>
        <Shell>
          <Switch>
            <Route path="/">
              <StartPage />
            </Route>
            <Route path="/threads/:id">{({ id }) => <ConversationPage key={id} id={id} />}</Route>
            <Route>
              <EmptyNote title="There is no such page">Choose a thread, or go back to the start.</EmptyNote>
            </Route>
          </Switch>
        </Shell>
      </DeletionsProvider>
    </AccessGate>
  );
}
