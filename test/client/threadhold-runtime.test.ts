// What the runtime of assistant-ui offers on a thread.

import { createElement as element } from "react";
import type { ReactNode } from "react";
import { expect, it } from "vitest";

import { ThreadholdClient } from "#client/index.ts";
import { useThreadholdRuntime } from "#react/assistant-ui/use-threadhold-runtime.ts";
import { ThreadholdProvider } from "#react/index.ts";

import { FetchedServer } from "./support/fetched-server.ts";
import { openPage } from "./support/page.ts";
import { threadId } from "./support/records.ts";

it("AUI3 The assistant-ui runtime can cancel and attach files, cannot edit, reload, delete or switch branches, and is disabled without a thread", async () => {
  const client = new ThreadholdClient({ url: "http://localhost", fetch: new FetchedServer().fetch, WebSocket: null });
  const offered: object[] = [];
  const Shown = ({ id }: { id: string | null }): ReactNode => {
    const { capabilities, isDisabled } = useThreadholdRuntime(id).thread.getState();
    offered.push({ ...capabilities, isDisabled });
    return null;
  };
  const page = await openPage();
  await page.render(element(ThreadholdProvider, { client }, element(Shown, { id: threadId })));
  const never = { edit: false, reload: false, delete: false, switchToBranch: false, queue: false, feedback: false };
  expect(offered.at(-1)).toMatchObject({ ...never, cancel: true, attachments: true, isDisabled: false });
  await page.render(element(ThreadholdProvider, { client }, element(Shown, { id: null, key: "none" })));
  expect(offered.at(-1)).toMatchObject({ ...never, attachments: false, isDisabled: true });
  await page.close();
  client.close();
});
