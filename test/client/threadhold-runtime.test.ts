// What the runtime of assistant-ui offers on a thread.

import type { AssistantRuntime } from "@assistant-ui/react";
import { createElement as element } from "react";
import type { ReactNode } from "react";
import { expect, it } from "vitest";

import { ThreadholdClient } from "#client/index.ts";
import type { ThreadEvent } from "#contract/event.ts";
import { deferred } from "#lib/deferred.ts";
import { useThreadholdRuntime } from "#react/assistant-ui/use-threadhold-runtime.ts";
import { ThreadholdProvider } from "#react/index.ts";

import { messageAt } from "../contract/support/story.ts";
import { FetchedServer } from "./support/fetched-server.ts";
import { ManualFrames, openPage } from "./support/page.ts";
import { runOf, threadId, threadOf } from "./support/records.ts";

it("AUI3 The assistant-ui runtime can cancel, attach files, edit, reload and delete, switches branches only if there are some, and is disabled without a thread", async () => {
  const client = new ThreadholdClient({ url: "http://localhost", fetch: new FetchedServer().fetch, WebSocket: null });
  const offered: object[] = [];
  const Shown = ({ id }: { id: string | null }): ReactNode => {
    const { capabilities, isDisabled } = useThreadholdRuntime(id).thread.getState();
    offered.push({ ...capabilities, isDisabled });
    return null;
  };
  const page = await openPage();
  await page.render(element(ThreadholdProvider, { client }, element(Shown, { id: threadId })));
  const never = { switchToBranch: false, queue: false, feedback: false };
  const changes = { edit: true, reload: true, delete: true };
  expect(offered.at(-1)).toMatchObject({ ...never, ...changes, cancel: true, attachments: true, isDisabled: false });
  await page.render(element(ThreadholdProvider, { client }, element(Shown, { id: null, key: "none" })));
  expect(offered.at(-1)).toMatchObject({ ...never, attachments: false, isDisabled: true });
  await page.close();
  client.close();
});

it.each<[string, unknown, string]>([
  ["the server refuses", "too much", "The answer has too many bytes."],
  ["has no JSON form", { id: 1n }, "Do not know how to serialize a BigInt"],
])(
  "AUI4 If a tool result of the assistant-ui runtime %s, the call gets an error result with the reason, and onError receives the error",
  async (_case, result, reason) => {
    const server = new FetchedServer();
    const posted: { error?: string }[] = [];
    server.answers[`POST /api/threads/${threadId}/tool-results`] = ({ body }) => {
      const [answer] = (body as { results: { error?: string }[] }).results;
      const error = { code: "too_large", message: "The answer has too many bytes.", request_id: "r" };
      if (answer?.error === undefined) return Response.json({ error }, { status: 413 });
      posted.push(answer);
      return { run: runOf(), missing: [], ignored: [] };
    };
    const presence = { online: true, visible: true, watch: () => () => undefined };
    const client = new ThreadholdClient({ url: "http://localhost", fetch: server.fetch, WebSocket: null, presence });
    const failed = deferred<unknown>();
    const runtimes: AssistantRuntime[] = [];
    const Shown = (): ReactNode => {
      runtimes.push(useThreadholdRuntime(threadId, { onError: failed.resolve }));
      return null;
    };
    const page = await openPage();
    const frames = new ManualFrames();
    await page.render(element(ThreadholdProvider, { client, frame: frames.frame }, element(Shown)));
    await page.act(() => server.came("/events"));
    const call = { id: "one", name: "look", kind: "remote", arguments: {}, deadline: 99 } as const;
    const asking = messageAt(1, {
      role: "assistant",
      parts: [{ type: "tool_call", id: "one", name: "look", arguments: {} }],
    });
    const thread = threadOf({ pending_tool_calls: [call], active_run_id: "run" });
    server.tell({
      type: "snapshot",
      thread,
      messages: [asking],
      partial: [],
      seq: 1,
      thread_id: threadId,
      at: 1,
    } as ThreadEvent);
    const turn = (): Promise<void> =>
      page.act(() => {
        frames.paint();
        return new Promise<void>((resolve) => setImmediate(resolve));
      });
    for (let turns = 0; turns < 1000 && runtimes.at(-1)?.thread.getState().messages.length !== 1; turns += 1) {
      await turn();
    }
    await page.act(() => {
      runtimes.at(-1)?.thread.getMessageByIndex(0).getMessagePartByIndex(0).addToolResult(result);
      return failed.promise.then(() => undefined);
    });
    expect(posted).toEqual([{ tool_call_id: "one", error: expect.stringContaining(reason) as string }]);
    await page.close();
    client.close();
  },
);

it("AUI5 Reload, edit, delete and the branch picker of the assistant-ui runtime make and change branches of the thread", async () => {
  const server = new FetchedServer();
  const posted: unknown[] = [];
  const accept = (path: string, answer: object): void => {
    server.answers[`POST /api/threads/${threadId}${path}`] = ({ body }) => {
      posted.push(body);
      return answer;
    };
  };
  accept("/runs", { run: runOf(), files_kept: 0 });
  accept("/checkout", { thread: threadOf(), files_kept: 0 });
  const branch = { first_message_id: null, message_count: 1, last_run_id: null, created_at: 1 };
  const branches = [
    { ...branch, id: "main", parent_id: null, after_message_id: null, current: false },
    { ...branch, id: "other", parent_id: "main", after_message_id: "m1", current: true },
  ];
  server.answers[`GET /api/threads/${threadId}/tree`] = () => ({ branches, next_cursor: null });
  const presence = { online: true, visible: true, watch: () => () => undefined };
  const client = new ThreadholdClient({ url: "http://localhost", fetch: server.fetch, WebSocket: null, presence });
  const runtimes: AssistantRuntime[] = [];
  const Shown = (): ReactNode => {
    runtimes.push(useThreadholdRuntime(threadId));
    return null;
  };
  const page = await openPage();
  const frames = new ManualFrames();
  await page.render(element(ThreadholdProvider, { client, frame: frames.frame }, element(Shown)));
  await page.act(() => server.came("/events"));
  const question = {
    ...messageAt(1, { role: "user", parts: [{ type: "text", text: "Why?" }] }),
    id: "m1",
    branch_id: "main",
  };
  const answer = {
    ...messageAt(2, { role: "assistant", parts: [{ type: "text", text: "So." }] }),
    id: "m2",
    branch_id: "other",
    run_id: "run",
  };
  const thread = threadOf({ branch_id: "other", message_count: 2 });
  server.tell({
    type: "snapshot",
    thread,
    messages: [question, answer],
    partial: [],
    seq: 1,
    thread_id: threadId,
    at: 1,
  } as unknown as ThreadEvent);
  const turn = (): Promise<void> =>
    page.act(() => {
      frames.paint();
      return new Promise<void>((resolve) => setImmediate(resolve));
    });
  const last = () => runtimes.at(-1)?.thread;
  for (let turns = 0; turns < 1000 && last()?.getState().capabilities.switchToBranch !== true; turns += 1) await turn();
  const shown = last()?.getMessageByIndex(1);
  expect(shown?.getState()).toMatchObject({ branchNumber: 2, branchCount: 2 });
  await page.act(() => {
    shown?.reload();
    return turn();
  });
  await page.act(() => {
    const edit = last()?.getMessageByIndex(0).composer;
    edit?.beginEdit();
    edit?.setText("How?");
    edit?.send();
    return turn();
  });
  await page.act(() => {
    last()?.getMessageByIndex(1).switchToBranch({ position: "previous" });
    return turn();
  });
  expect(posted).toEqual([
    { kind: "rerun", from: "m2", when: "interrupt" },
    expect.objectContaining({
      kind: "branch",
      from: "m1",
      content: [{ type: "text", text: "How?" }],
      when: "interrupt",
    }),
    { branch_id: "main" },
  ]);
  await page.close();
  client.close();
});

it("AUI5 If the branches of a thread cannot be loaded, they are not requested again with each event", async () => {
  const server = new FetchedServer();
  const presence = { online: true, visible: true, watch: () => () => undefined };
  const client = new ThreadholdClient({ url: "http://localhost", fetch: server.fetch, WebSocket: null, presence });
  const runtimes: AssistantRuntime[] = [];
  const Shown = (): ReactNode => {
    runtimes.push(useThreadholdRuntime(threadId));
    return null;
  };
  const page = await openPage();
  const frames = new ManualFrames();
  await page.render(element(ThreadholdProvider, { client, frame: frames.frame }, element(Shown)));
  await page.act(() => server.came("/events"));
  const of = { thread_id: threadId, at: 1 };
  const snapshot = { type: "snapshot", thread: threadOf(), messages: [], partial: [], seq: 1, ...of };
  server.tell(snapshot as unknown as ThreadEvent);
  await page.act(() => server.came("/tree"));
  for (let seq = 2; seq < 12; seq += 1) {
    const message = messageAt(seq, { role: "assistant", parts: [{ type: "text", text: "So." }] });
    server.tell({ type: "message_end", message: { ...message, id: `m${String(seq)}` }, seq, ...of } as ThreadEvent);
  }
  const turn = (): Promise<void> =>
    page.act(() => {
      frames.paint();
      return new Promise<void>((resolve) => setImmediate(resolve));
    });
  for (let turns = 0; turns < 1000 && runtimes.at(-1)?.thread.getState().messages.length === 0; turns += 1)
    await turn();
  expect(runtimes.at(-1)?.thread.getState().messages.length).toBeGreaterThan(0);
  expect(server.requests.filter((request) => request.includes("/tree"))).toHaveLength(1);
  await page.close();
  client.close();
});
