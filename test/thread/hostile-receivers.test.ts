// Webhooks and traces with receivers that answer hostile bytes on the wire: no run waits for them, nothing is repeated without an end, little
// is read, and no log line has a secret.

import { afterEach, beforeEach, describe, expect, inject, it, vi } from "vitest";

import { received } from "../support/collector/received.ts";
import { accepting, refusing } from "../support/hostile-answer.mjs";
import { receivedWebhooks } from "../support/webhook-receiver/received.ts";
import { scripts } from "../worker/definitions.ts";
import { tracing } from "../worker/traced.ts";
import { webhookVariables } from "../worker/webhook.ts";
import { answer, approve, resetAnswers, pay, script, shown } from "./answer-client.ts";
import { settled } from "./cost-table.ts";
import { waitFor, lastRunOf } from "./team-driver.ts";
import { admin, alarmOf, converse, evict, message, newThread, stubOf, value } from "./thread-driver.ts";

const key = "a key of the tests, 32 bytes long";
const secret = `whsec_${btoa(key)}`;
/** A secret in the path of an address, as many services have it. */
const secretPath = "T0KEN-in-the-path";
const bearer = "bearer-of-the-collector";

/** What a client may make a hostile server send before it stops reading: the buffers of both sides, and some pieces. */
const mostSent = 12 * 1024 * 1024;

let lines: string[] = [];

beforeEach(() => {
  resetAnswers();
  lines = [];
  for (const name of ["log", "warn", "error"] as const) {
    vi.spyOn(console, name).mockImplementation((...texts: unknown[]) => void lines.push(texts.join(" ")));
  }
});

afterEach(() => {
  webhookVariables.current = {};
  tracing.variables = {};
  vi.restoreAllMocks();
});

function assertNoSecret(): void {
  for (const line of lines) {
    for (const text of [key, secret, btoa(key), secretPath, bearer]) expect(line).not.toContain(text);
    expect(line.length).toBeLessThan(4096);
  }
}

describe("a hostile receiver of webhooks", () => {
  const receiver = inject("webhookReceiver");

  async function waiting(way: string) {
    const scope = `${way}-${crypto.randomUUID()}`;
    webhookVariables.current = {
      WAITING_WEBHOOK_URL: `${receiver}/${scope}/${secretPath}?key=${secretPath}`,
      WAITING_WEBHOOK_SECRET: secret,
    };
    script(scope, [pay("Ada")]);
    const id = await newThread("payer");
    await value(stubOf(id).call("postMessage", admin, message(scope), null));
    const [call] = await waitFor(async () => {
      const pending = await shown(id);
      return pending.length === 1 && pending;
    });
    const requests = async () => (await receivedWebhooks(receiver, scope, 1)).length;
    return { id, scope, call, requests };
  }

  it.each(accepting)(
    "INBOX4 An answer that accepts a webhook is enough, whatever follows it, and the webhook is not sent again: %s",
    async (way) => {
      const { id, scope, call, requests } = await waiting(way);
      expect(await requests()).toBe(1);
      await waitFor(async () => (await alarmOf(id)) === Math.ceil((call?.deadline ?? 0) / 1000));
      await value(answer(id, approve(call?.id ?? "")));
      await waitFor(async () => (await lastRunOf(id)).status === "completed");
      await settled(id);
      await evict(id);
      expect(await requests()).toBe(1);
      expect(Number(await (await fetch(`${receiver}/${scope}/sent`)).text())).toBeLessThan(mostSent);
      assertNoSecret();
      expect(lines.filter((line) => line.includes("webhook"))).toEqual([]);
    },
  );

  it.each(refusing)(
    "INBOX4 A hostile answer that does not accept a webhook is one failed attempt with the usual pause, one log line, and no effect on the run: %s",
    async (way) => {
      const { id, call, requests } = await waiting(way);
      const failed = await waitFor(() => {
        const found = lines.filter((line) => line.includes('"webhook_failed"'));
        return found.length > 0 && found;
      });
      expect(failed).toHaveLength(1);
      expect(await requests()).toBe(1);
      expect(await alarmOf(id)).toBeLessThan(Math.ceil((call?.deadline ?? 0) / 1000));
      await value(answer(id, approve(call?.id ?? "")));
      await waitFor(async () => (await lastRunOf(id)).status === "completed");
      await settled(id);
      expect(await requests()).toBe(1);
      assertNoSecret();
    },
  );
});

describe("a hostile collector of traces", () => {
  const collector = inject("collector");
  let scope = "";

  async function traced(way: string, runs: number): Promise<string> {
    scope = `${way}-${crypto.randomUUID()}`;
    tracing.variables = {
      OTEL_EXPORTER_OTLP_ENDPOINT: `${collector}/${scope}`,
      OTEL_EXPORTER_OTLP_HEADERS: `authorization=Bearer%20${bearer}`,
      OTEL_EXPORTER_OTLP_TIMEOUT: "2000",
    };
    scripts.set("hostile", () => ({ text: "Done." }));
    const id = await newThread("parallel");
    for (let run = 1; run <= runs; run += 1) {
      expect((await converse(id, "hostile")).at(-1)).toMatchObject({ type: "run_end", status: "completed" });
      // Threads of other tests, which an alarm wakes meanwhile, send their spans to the same address.
      await received(collector, scope, { requests: run, thread: id });
      await settled(id);
    }
    return id;
  }

  it.each(accepting)(
    "TRACE8 Spans that a collector accepted are not sent again, whatever follows its status: %s",
    async (way) => {
      const id = await traced(way, 3);
      const { spans } = await received(collector, scope, { requests: 3, spans: 9, thread: id });
      expect(spans).toHaveLength(9);
      expect(new Set(spans.map(({ spanId }) => spanId)).size).toBe(9);
      assertNoSecret();
      expect(lines.filter((line) => /"trace_(?:export|spans)/.test(line) && line.includes(id))).toEqual([]);
    },
  );

  it.each(refusing)(
    "TRACE8 A hostile answer that does not accept spans is one failed request for each run, and its log lines have no secret: %s",
    async (way) => {
      const id = await traced(way, 3);
      const { requests } = await received(collector, scope, { requests: 3, thread: id });
      expect(requests).toHaveLength(3);
      const failed = () => lines.filter((line) => line.includes('"trace_export_failed"') && line.includes(id));
      await waitFor(() => failed().length === 3);
      assertNoSecret();
    },
  );

  it("TRACE9 A number of rejected spans that cannot be is not believed", async () => {
    const id = await traced("lies", 2);
    const dropped = lines
      .filter((line) => line.includes("trace_spans_dropped") && line.includes(id))
      .map((line) => JSON.parse(line) as { spans: number });
    expect(dropped.map(({ spans }) => spans)).toEqual([3]);
  });
});
