// The contract of answers as a suite, run over every provider and every preset: what a server, a gateway or a proxy may do to an answer, and what
// follows from it. `port-contract.ts` tests what an answer contains.

import { describe, expect, inject, it } from "vitest";

import { watched } from "#core/model/watchdog.ts";
import { noFaults } from "#core/ports/faults.ts";
import type { ModelFailure, ModelPart, ModelRequest } from "#core/ports/model-port.ts";
import type { AnyModelDefinition } from "#spec/index.ts";

import { ManualClock } from "../core/support/manual-clock.ts";
import {
  collect,
  message,
  model,
  readAnswer,
  request,
  serverEnv,
  serverPort,
  user,
  type Answer,
  type AnyProvider,
} from "./ask-model.ts";
import { grammarFaults } from "./grammar.ts";

/** A model whose requests reach the model server. */
export interface ContractTarget {
  name: string;
  provider: AnyProvider | AnyModelDefinition["provider"];
  definition?: Partial<AnyModelDefinition>;
  /** Variables in addition to those of `serverEnv`. */
  env?: Record<string, unknown>;
  /** The protocol has no text events, so faults that change such events do not apply. */
  isBinary?: true;
  /** Code of a project reads the response, so a document in place of a stream has no meaning of its own. */
  isOwn?: true;
  /** Requests are sent by a binding, without a key of the project; Cloudflare decides what becomes of redirects. */
  isBound?: true;
}

const greeting = "Hello there, how can I help?";

/** Faults of a stream of events that change nothing of the answer. */
const harmless = ["comments", "windows line ends", "old line ends", "byte order mark", "empty lines", "other fields"];

const retried = { retryable: true };
const final = { retryable: false };

type Failing = [fault: string, failure: Partial<ModelFailure>, text?: string];

/** The failure that follows from a document in place of a stream. */
const documents: Failing[] = [
  ["error document", { kind: "api", ...final }, "The account is closed."],
  ["page", { kind: "api", ...final }, "Sign in Ask your administrator."],
];

/** The failure that follows from an answer. */
const failing: Failing[] = [
  ["no content", { kind: "network", ...retried }],
  ["page of a proxy", { kind: "network", ...retried, status: 502 }],
  ["refused key", { kind: "auth", ...final, status: 401 }, "The key is not valid."],
  ["overloaded", { kind: "network", ...retried, status: 529 }, "Overloaded."],
  ["too large", { kind: "overflow", ...final, status: 413 }],
  ["busy for seconds", { kind: "rate_limited", ...retried, status: 429, retry_after_ms: 7_000 }],
  ["busy for a fraction", { kind: "rate_limited", ...retried, retry_after_ms: 500 }],
  ["busy for milliseconds", { kind: "rate_limited", ...retried, retry_after_ms: 1_250 }],
  ["busy until a date", { kind: "rate_limited", ...final, retry_after_ms: 3_600_000 }],
  ["busy until a past date", { kind: "rate_limited", ...retried, retry_after_ms: 0 }],
  ["busy for days", { kind: "rate_limited", ...final, retry_after_ms: 3_600_000 }],
  ["busy for a word", { kind: "rate_limited", ...retried, retry_after_ms: null }],
  ["busy without a time", { kind: "rate_limited", ...retried, retry_after_ms: null }],
];

/** Tests the contract of answers for one model. */
export function answerContract({
  name,
  provider,
  definition = {},
  env = {},
  isBinary,
  isOwn,
  isBound,
}: ContractTarget): void {
  const requested = (
    headers: Record<string, string>,
    fixture: string,
    more: Partial<ModelRequest> = {},
  ): ModelRequest => request(model(provider, `case:${fixture}`, { ...definition, headers }), more);
  const port = () => serverPort({ env: { ...serverEnv(inject("modelServer")), ...env } });
  const read = async (
    headers: Record<string, string>,
    fixture = "text",
    more?: Partial<ModelRequest>,
  ): Promise<Answer> => {
    const parts = await collect(port().stream(requested(headers, fixture, more), new AbortController().signal));
    expect(grammarFaults(parts)).toEqual([]);
    return readAnswer(parts);
  };

  describe(`answers of ${name}`, () => {
    it("An answer that is compressed is read as one that is not", async () => {
      expect(await read({ "x-server-fault": "gzip" })).toEqual(await read({}));
    });

    it.skipIf(isBinary).for(harmless)("An answer is read whole although its stream has %s", async (fault) => {
      for (const fixture of ["text", "tool-call"])
        expect(await read({ "x-server-fault": fault }, fixture)).toEqual(await read({}, fixture));
    });

    it.skipIf(isBinary)("An event that is not JSON ends the answer with a failure that is retried", async () => {
      const { end } = await read({ "x-server-fault": "broken event" });
      expect(end).toMatchObject({ type: "error", failure: retried });
    });

    it.for(isOwn === true ? failing : [...documents, ...failing])(
      "The failure of an answer has its class, its status and its time to wait: %s",
      async ([fault, failure, text = ""]) => {
        const { end } = await read({ "x-server-fault": fault });
        expect(end).toMatchObject({ type: "error", failure });
        if (end.type === "error") expect(end.failure.message).toContain(text);
      },
    );

    it("An error in the middle of an answer fails it with the class and the text of the error", async () => {
      const { end } = await read({}, "error-mid-stream");
      expect(end).toMatchObject({ type: "error", failure: retried });
      if (end.type === "error") expect(end.failure.message).not.toContain("{");
    });

    it("A prompt that is too long for the model is distinguished from other refusals", async () => {
      expect((await read({}, "overflow")).end).toMatchObject({ failure: { kind: "overflow", retryable: false } });
      expect((await read({}, "bad-request")).end).toMatchObject({ failure: { kind: "api", retryable: false } });
    });

    it("An answer is the same wherever its bytes are split", async () => {
      for (const seed of ["1", "2", "3", "4"])
        expect((await read({ "x-server-seed": seed }, "multibyte-split")).text).toBe("Grüße 👩‍🚀 – 日本語 𝄞");
    });

    it("A character whose two JSON escapes are in two events is whole in the text and in the arguments of a call", async () => {
      const { text, calls } = await read({}, "escaped-pair");
      expect(text).toBe("Wait 😀.");
      expect(calls.map((call) => JSON.parse(call.arguments) as unknown)).toEqual([{ city: "😀" }]);
    });

    it("A stream that is cut is a network error that is retried, and its incomplete call is not emitted as complete", async () => {
      const { text, calls, end } = await read({}, "cut");
      expect(text.trim()).toBe("The answer begins but");
      expect(calls).toEqual([]);
      expect(end).toMatchObject({ type: "error", failure: { kind: "network", ...retried } });
    });

    it("An abort ends the stream at once, and the server sees the connection close", async () => {
      const id = crypto.randomUUID();
      const abort = new AbortController();
      const parts: ModelPart[] = [];
      // Nothing arrives after these bytes, so only the abort can end this loop.
      const call = requested({ "x-server-hold": "900", "x-server-id": id }, "text");
      for await (const part of port().stream(call, abort.signal)) {
        parts.push(part);
        if (part.type === "text_delta") abort.abort();
      }
      expect(grammarFaults(parts)).toEqual([]);
      expect(parts.at(-1)).toMatchObject({ type: "error", failure: { kind: "aborted", ...final } });
      expect(await howItClosed(id)).toEqual({ complete: false });
    });

    it.skipIf(isBound).for([302, 307])(
      "SECRET1 A redirect of status %s to another origin ends the request, and nothing is sent there",
      async (status) => {
        // The model server has two origins, and records the requests of both.
        const elsewhere = inject("modelServer").replace("127.0.0.1", "localhost");
        const id = crypto.randomUUID();
        const { end } = await read({ "x-server-id": id, "x-server-redirect": `${status} ${elsewhere}` });
        expect(await requestsOf(id)).toHaveLength(1);
        expect(end).toMatchObject({ type: "error", failure: final });
        expect(JSON.stringify(end)).toContain(`redirects to ${elsewhere}, another origin`);
      },
    );

    it("A server that sends nothing, or nothing more, times out, and its connection is closed", async () => {
      for (const paused of ["0", "300"]) {
        const id = crypto.randomUUID();
        const clock = new ManualClock();
        const call = requested({ "x-server-hold": paused, "x-server-id": id }, "text");
        const parts: ModelPart[] = [];
        let received = 0;
        const open = (signal: AbortSignal, arrived: () => void) =>
          port().stream(call, signal, () => {
            received += 1;
            arrived();
          });
        const limits = { first: 5_000, next: 5_000 };
        const stream = watched(open, { signal: new AbortController().signal, limits }, { clock, faults: noFaults });
        const reading = (async () => {
          for await (const part of stream) parts.push(part);
        })();
        while ((await requestsOf(id)).length === 0 || (paused !== "0" && received === 0)) await clock.advance(0);
        await clock.advance(5_000);
        await reading;
        expect(parts.at(-1)).toMatchObject({ type: "error", failure: { kind: "timeout", ...retried } });
        expect(await howItClosed(id)).toEqual({ complete: false });
      }
    });

    it("A call without arguments has an empty object, and a call without a result is sent with an error as its result", async () => {
      const { calls } = await read({}, "empty-arguments");
      expect(calls.map((call) => call.arguments)).toEqual(["{}"]);
      const parts = [{ type: "tool_call" as const, id: "c1", name: "get_weather", arguments: { city: "Oslo" } }];
      const messages = [user("Hello?"), message("assistant", { parts }), user("And now?")];
      // The model server refuses a call without its result.
      expect((await read({}, "text", { messages })).text).toBe(greeting);
    });
  });
}

/** The requests that the model server has received. */
async function requestsOf(id: string): Promise<unknown[]> {
  return (await fetch(`${inject("modelServer")}/__requests?id=${id}`)).json();
}

async function howItClosed(id: string): Promise<unknown> {
  return (await fetch(`${inject("modelServer")}/__closed?id=${id}`)).json();
}
