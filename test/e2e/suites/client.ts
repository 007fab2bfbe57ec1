// The client against a real server with tokens, over connections that are cut: sockets by ticket, and server-sent
// events.

import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import WebSocket from "ws";

import { EventQueue } from "#client/event-queue.ts";
import { ThreadholdClient } from "#client/index.ts";
import type { ClientOptions, ThreadHandle } from "#client/index.ts";

import { openCuttingProxy } from "../../support/cutting-proxy.ts";
import type { CuttingProxy } from "../../support/cutting-proxy.ts";
import { timeoutMs, within } from "../../support/http-client/deadline.ts";
import { shownList } from "../../support/http-client/shown-list.ts";
import { settledMessages } from "../../support/http-client/transcript.ts";
import type { DevServer } from "../dev-server.ts";
import { changed, firstWords, nextPending, whenSuspended } from "../support/followed-thread.ts";
import { longestQuestion, longQuestion, slowQuestion } from "../support/slow-answer.ts";

/** Every address at which a client opened a socket. */
const addresses: string[] = [];

class NotedSocket extends WebSocket {
  constructor(url: string) {
    super(url);
    addresses.push(url);
  }
}

/** A socket that loses the third frame. */
class LossySocket extends NotedSocket {
  static lost = 0;
  #frames = 0;

  override emit(event: string | symbol, ...args: unknown[]): boolean {
    if (event === "message") this.#frames += 1;
    if (event === "message" && this.#frames === 3 && LossySocket.lost === 0) {
      LossySocket.lost += 1;
      return true;
    }
    return super.emit(event, ...args);
  }
}

/** `answerWith` gives the text of the next answer of the agent `openrouter_assistant`. */
export function clientOverTheNetwork(use: () => DevServer, answerWith: (text: AsyncIterable<string>) => void): void {
  describe("the client", () => {
    const clients: ThreadholdClient[] = [];
    let wire: CuttingProxy | undefined;
    const through = (): CuttingProxy => {
      if (wire === undefined) throw new Error("The server did not start");
      return wire;
    };
    const open = (options: ClientOptions = {}): ThreadholdClient => {
      const client = new ThreadholdClient({
        url: through().url,
        token: "carl-secret",
        WebSocket: NotedSocket,
        ...options,
      });
      clients.push(client);
      return client;
    };
    const begin = async (client: ThreadholdClient, agent = "assistant"): Promise<ThreadHandle> =>
      client.thread(await client.threads.create({ agent_id: agent }));

    beforeAll(async () => {
      wire = await openCuttingProxy(use().url);
    });
    afterEach(() => {
      for (const client of clients.splice(0)) client.close();
    });
    afterAll(async () => {
      await wire?.close();
    });

    it.each([
      ["a socket", NotedSocket],
      ["server-sent events", null],
    ])(
      "A send over %s can be read as a loop over events, as text while it streams, and as a promise of its run",
      async (_, socket) => {
        const client = open({ WebSocket: socket });
        const thread = await begin(client);
        // Without another holder the connection is closed shortly after the end of the run.
        const leave = thread.follow();
        const sending = thread.send("Hello there");
        const types: string[] = [];
        for await (const event of sending) types.push(event.type);
        let text = "";
        for await (const words of sending.text) text += words;
        const run = await sending;
        expect(types[0]).toBe("run_start");
        expect(types).toContain("text_delta");
        expect(types.at(-1)).toBe("run_end");
        expect(run).toMatchObject({ id: await sending.runId, status: "completed", text });
        expect(text).not.toBe("");
        expect(settledMessages(thread.state.messages)).toEqual((await thread.messages.list()).items);
        expect(thread.connection).toMatchObject({ state: "live", carrier: socket === null ? "sse" : "socket" });
        leave();
      },
    );

    it.each([
      ["a socket", NotedSocket],
      ["server-sent events", null],
    ])(
      "A thread list that is updated over %s receives the changes that other clients make, also during a lost connection",
      async (_, socket) => {
        const tag = crypto.randomUUID();
        const client = open({ WebSocket: socket, random: () => 0.02 });
        const other = new ThreadholdClient({ url: use().url, token: "carl-secret", WebSocket: NotedSocket });
        clients.push(other);
        const list = client.threads.follow({ tag }, { everyMs: 600_000 });
        const { until, statusOf, leave } = shownList(list);
        await until("an answer", () => !list.state.loading);
        const kept = await other.threads.create({ agent_id: "assistant", tags: [tag] });
        await until("a new thread", () => statusOf(kept.id) === "idle");
        await other.thread(kept).messages.post({ content: longQuestion(400) }, { wait: true });
        await until("rest", () => statusOf(kept.id) === "idle");
        const { run } = await other.thread(kept).messages.post({ content: slowQuestion });
        await until("work", () => statusOf(kept.id) === "running");
        // Changes during an interruption are not sent; a client that reconnects loads them nevertheless.
        const gone = await other.threads.create({ agent_id: "assistant", tags: [tag] });
        await until("another one", () => statusOf(gone.id) === "idle");
        through().cut();
        await other.threads.delete(gone.id);
        await other.thread(kept).stop(run?.id);
        await until("the deletion", () => statusOf(gone.id) === undefined);
        await until("the stop", () => statusOf(kept.id) === "idle");
        await other.threads.patch(kept.id, { tags: [] });
        await until("the tag", () => list.state.threads.length === 0);
        leave();
      },
    );

    it("A WebSocket is opened with a ticket, and no URL contains the token", async () => {
      addresses.length = 0;
      const thread = await begin(open());
      await thread.send("Hello");
      expect(addresses.length).toBeGreaterThan(0);
      for (const address of addresses) {
        expect(address).toMatch(/[?&]ticket=/);
        expect(address).not.toContain("carl-secret");
      }
    });

    it.each([
      ["a socket", NotedSocket],
      ["server-sent events", null],
    ])(
      "An answer over %s is complete and has no repeated text although the connection is lost repeatedly",
      async (_, socket) => {
        const client = open({ WebSocket: socket, random: () => 0.02 });
        const thread = await begin(client, "openrouter_assistant");
        const sentence = longQuestion(10).split(/(?<= )/);
        const spoken = new EventQueue<string>({ once: true });
        const speak = (): void => {
          for (const word of sentence) spoken.push(word);
        };
        answerWith(spoken.read());
        speak();
        const sending = thread.send("Hello");
        let text = "";
        let cuts = 0;
        // The connection is cut in the middle of each sentence, and the model continues with the next sentence only then.
        const middle = sentence.join("").length / 2;
        for await (const words of sending.text) {
          text += words;
          if (text.length < (2 * cuts + 1) * middle) continue;
          if (cuts === 4) {
            spoken.end();
            continue;
          }
          cuts += 1;
          through().cut();
          speak();
        }
        const run = await sending;
        expect(run).toMatchObject({ status: "completed", text });
        expect(text).toBe(longQuestion(10).repeat(5));
        expect(settledMessages(thread.state.messages)).toEqual((await thread.messages.list()).items);
      },
    );

    it("The client notices a lost WebSocket frame, reconnects and receives the missing events", async () => {
      LossySocket.lost = 0;
      const client = open({ WebSocket: LossySocket, random: () => 0 });
      const thread = await begin(client);
      const errors: string[] = [];
      const leave = thread.subscribe(() => {
        const { connection } = thread;
        if (connection.state === "waiting") errors.push(connection.error.message);
      });
      const sending = thread.send("Hello");
      let text = "";
      for await (const words of sending.text) text += words;
      expect((await sending).text).toBe(text);
      expect(LossySocket.lost).toBe(1);
      expect(errors).toEqual([expect.stringMatching(/are missing/)]);
      expect(settledMessages(thread.state.messages)).toEqual((await thread.messages.list()).items);
      leave();
    });

    it("A thread that is deleted and created again under its id is shown in its new state", async () => {
      const client = open({ random: () => 0 });
      const thread = await begin(client);
      await thread.send("Hello");
      const known = thread.state.last_seq;
      const unblock = through().block();
      const leave = thread.follow();
      through().cut();
      const direct = new ThreadholdClient({ url: use().url, token: "carl-secret", WebSocket: null });
      await direct.threads.delete(thread.id);
      await direct.threads.create({
        agent_id: "assistant",
        id: thread.id,
        initial_messages: [{ role: "user", content: "Another" }],
      });
      unblock();
      await changed(thread, () => thread.state.messages[0]?.content === "Another");
      expect(thread.state.messages).toHaveLength(1);
      expect(thread.state.last_seq).toBeLessThan(known);
      leave();
    });

    it("A socket that never opens is replaced by server-sent events", async () => {
      class NoSocket extends NotedSocket {
        constructor() {
          super("ws://127.0.0.1:9/");
        }
      }
      const thread = await begin(open({ WebSocket: NoSocket, random: () => 0 }));
      const leave = thread.follow();
      expect((await thread.send("Hello")).status).toBe("completed");
      expect(thread.connection).toMatchObject({ state: "live", carrier: "sse" });
      leave();
    });

    it("A send by a client without access to the thread rejects with the error's code, and stores no message", async () => {
      const thread = await begin(open());
      for (const [token, code] of [
        ["cleo-secret", "thread_not_found"],
        ["wrong-secret", "unauthorized"],
      ] as const) {
        for (const socket of [NotedSocket, null]) {
          const other = open({ token, WebSocket: socket, random: () => 0, retries: 0 }).thread(thread.id);
          await expect(other.send("Hello")).rejects.toMatchObject({ name: "ThreadholdClientError", code });
          expect(other.connection).toMatchObject({ state: "closed", error: { code } });
        }
      }
      expect((await thread.messages.list()).items).toEqual([]);
    });

    it("A message whose response is lost is stored once, and its run completes", async () => {
      const client = open({ random: () => 0 });
      const thread = await begin(client);
      const leave = thread.follow();
      const cut = through().cutAnswerTo("said only once");
      const run = await thread.send("said only once");
      await within(timeoutMs, "the cut", cut);
      expect(run.status).toBe("completed");
      expect((await thread.messages.list()).items.map(({ role }) => role)).toEqual(["user", "assistant"]);
      leave();
    });

    it("A run continues when the loop over its events is left or its send is aborted, and ends on stop() or with stopOnAbort", async () => {
      const client = open();
      const thread = await begin(client);
      await thread.send(longQuestion(120));
      const left = thread.send(slowQuestion);
      for await (const event of left) if (event.type === "text_delta") break;
      expect(await left).toMatchObject({ status: "completed" });

      const leave = new AbortController();
      const aborted = thread.send(slowQuestion, { signal: leave.signal });
      await firstWords(aborted);
      leave.abort(new Error("Enough"));
      await expect(aborted).rejects.toThrow("Enough");
      const run = await whenSuspended(thread, await aborted.runId);
      expect(run.status).toBe("completed");

      await thread.messages.post({ content: longestQuestion, run: false });
      const stopped = thread.send(slowQuestion);
      await firstWords(stopped);
      await stopped.stop();
      expect(await stopped).toMatchObject({ status: "stopped" });

      await thread.messages.post({ content: longestQuestion, run: false });
      const both = new AbortController();
      const last = thread.send(slowQuestion, { signal: both.signal, stopOnAbort: true });
      await firstWords(last);
      both.abort(new Error("Enough"));
      await expect(last).rejects.toThrow("Enough");
      expect((await whenSuspended(thread, await last.runId)).status).toBe("stopped");
    });

    it("A remote tool runs a local function once, whatever connections are lost, also if another client answers its call", async () => {
      const [one, two] = [open({ random: () => 0 }), open({ random: () => 0 })];
      const thread = await begin(one, "forecaster");
      const leave = two.thread(thread.id).follow();
      const calls: unknown[] = [];
      one.tools({
        get_location: async (args: { precision: string }, call) => {
          calls.push([args, call.name, call.threadId]);
          through().cut();
          await changed(thread, () => thread.connection.state !== "live");
          // The other client may have answered by now, and the test may be over.
          await changed(thread, () => /^(live|closed)$/.test(thread.connection.state));
          return "Lisbon";
        },
      });
      two.tools({ get_location: () => "Porto" });
      const run = await thread.send("What is the weather?");
      expect(run.text).toMatch(/Sunny in (Lisbon|Porto)/);
      expect(calls).toEqual([[{ precision: "city" }, "get_location", thread.id]]);
      leave();
    });

    it("A client answers calls that waited before it connected, and the model receives an exception of its function as an error", async () => {
      const client = open();
      const thread = await begin(client, "forecaster");
      const { run } = await thread.messages.post({ content: "What is the weather?" }, { wait: true });
      expect(run?.status).toBe("awaiting_tool_execution");
      client.tools({
        get_location: () => {
          throw new Error("The person refuses");
        },
      });
      const leave = thread.follow();
      expect((await whenSuspended(thread, run?.id ?? "")).text).toMatch(/Which city/);
      leave();
    });

    it("A send with until=rest returns when a call needs approval, and a send without it after the call was approved or declined", async () => {
      const thread = await begin(open(), "purchaser");
      const rest = await thread.send("An espresso machine for 900", { until: "rest" });
      expect(rest.status).toBe("awaiting_tool_execution");
      const [call] = (await thread.get()).pending_tool_calls;
      expect(call).toMatchObject({ kind: "approval", name: "place_order" });
      // The subscription begins before the approval: the next call may be pending before the run below has been read.
      const upcoming = nextPending(thread, call?.id ?? "");
      const sending = thread.send("An espresso machine for 901", { when: "queue" });
      await thread.tools.approve(call?.id ?? "", { args: { item: "An espresso machine", price: 850 } });
      const waiting = await changed(thread, () => thread.state.active_run_id !== rest.id);
      expect(waiting).toBeUndefined();
      expect((await whenSuspended(thread, rest.id)).text).toMatch(/850/);
      const second = await upcoming;
      await thread.tools.decline(second, "Too dear");
      expect((await sending).text).toMatch(/leave it/);
    });

    it("The client uploads a file with progress events, and downloads it completely", async () => {
      const thread = await begin(open());
      const bytes = new Uint8Array(300_000).map((_, at) => at % 251);
      const progress: [number, number | null][] = [];
      const record = await thread.files.upload("/notes/data.bin", bytes, {
        onProgress: ({ loaded, total }) => progress.push([loaded, total]),
      });
      expect(record).toMatchObject({ path: "/notes/data.bin", size: bytes.length });
      expect(progress.length).toBeGreaterThan(2);
      expect(progress.at(-1)).toEqual([bytes.length, bytes.length]);
      const stream = new Blob([bytes]).stream();
      expect(await thread.files.upload("notes/copy.bin", stream)).toMatchObject({ size: bytes.length });
      const down = await thread.files.download("/notes/copy.bin");
      expect(new Uint8Array(await down.arrayBuffer())).toEqual(bytes);
      expect((await thread.files.list("/notes")).map(({ name }) => name)).toEqual(["copy.bin", "data.bin"]);
      expect(await thread.files.move("/notes/copy.bin", "/moved/copy.bin")).toMatchObject({ path: "/moved/copy.bin" });
      await expect(thread.files.move("/none", "/other")).rejects.toThrow("There is no file /none");
      await expect(thread.files.upload("/notes/../../../x", "out")).rejects.toThrow(TypeError);
      expect((await thread.files.glob("**/*.bin")).paths).toHaveLength(2);
    });
  });
}
