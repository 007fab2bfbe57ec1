// Sends the deployment's webhook when calls of a thread begin to wait for a client or a person. The thread's row has the undelivered calls,
// so a crash loses none of them. A delivery is repeated after a failure, a limited number of times, and may arrive more than once under the
// same id. Contract: sending never blocks a run; calls that do not wait any more are not sent.

import { v4 as randomId } from "uuid";

import type { WaitingCall } from "#core/record/awaited.ts";
import type { WaitingNotice } from "#core/record/record.ts";
import { toBase64 } from "#lib/base64.ts";
import { causeOf } from "#lib/log-port.ts";
import type { WebhookSettings } from "#lib/webhook-settings.ts";

import { nextRetry } from "../background-task.ts";
import type { BackgroundTask } from "../background-task.ts";
import type { DeployedThread } from "../live/live-thread.ts";
import { waitingBody, waitingKey } from "./waiting-body.ts";

/** Pauses after failures, in milliseconds. */
const pauses = { firstMs: 5000, longestMs: 60 * 60_000 };

/** The number of attempts of one delivery: about three and a half hours with these pauses. */
const mostAttempts = 13;

/** The receiver's body is not read, so its size does not count. */
const limits = { headersMs: 10_000, totalMs: 15_000, bytes: Infinity };

/** Sends the webhook of one thread. Each thread's object has one such task if the deployment has a webhook. */
export class WaitingWebhook implements BackgroundTask {
  readonly #settings: WebhookSettings;
  readonly #context: DeployedThread;
  #running: Promise<void> | null = null;

  constructor(settings: WebhookSettings, context: DeployedThread) {
    this.#settings = settings;
    this.#context = context;
  }

  get pending(): boolean {
    return this.#notice !== undefined;
  }

  get dueAt(): number | null {
    return this.#notice?.retry?.at ?? null;
  }

  get #notice(): WaitingNotice | undefined {
    return this.#context.live.record.background.waiting;
  }

  /** Adds calls that begin to wait; the caller writes the thread's row. Calls of a child thread are sent by the root thread. */
  add(calls: readonly WaitingCall[]): void {
    const { live } = this.#context;
    if (calls.length === 0 || live.record.parent !== null) return;
    // A new id, because a receiver ignores a delivery whose id it knows.
    const waiting = { id: randomId(), calls: [...(this.#notice?.calls ?? []), ...calls.map(waitingKey)] };
    live.changeBackground({ waiting });
  }

  /** Sends what is due. If it is called while calls are being sent, waits for that: calls that are added meanwhile are sent too. */
  run(): Promise<void> {
    this.#running ??= this.#sendAll().finally(() => {
      this.#running = null;
    });
    return this.#running;
  }

  async #sendAll(): Promise<void> {
    const { live } = this.#context;
    const { clock } = this.#context.deployment;
    for (;;) {
      const notice = this.#notice;
      if (live.retired || notice === undefined) return;
      const isOver = live.record.active_run_id === null;
      if (!isOver && (notice.retry?.at ?? 0) > clock.now()) return;
      const body = waitingBody(live, new Set(notice.calls), this.#settings);
      const problem = body === null ? null : await this.#post(notice.id, body);
      if (live.retired) return;
      // A run that is executed for a moment, because other calls were answered, may wait for these calls again.
      if (body === null && !isOver) this.#postpone(notice);
      else this.#store(notice, problem);
    }
  }

  #postpone(notice: WaitingNotice): void {
    const { live } = this.#context;
    const retry = nextRetry(notice.retry, this.#context.deployment, pauses);
    live.changeBackground({ waiting: retry.failures >= mostAttempts ? undefined : { ...notice, retry } });
    live.save();
  }

  /** Stores the outcome of an attempt: the notice is done, or has the time of its next attempt. */
  #store(notice: WaitingNotice, problem: string | null): void {
    const { live } = this.#context;
    const { log } = this.#context.deployment;
    const current = this.#notice;
    if (problem === null) {
      const calls = current?.calls.filter((call) => !notice.calls.includes(call)) ?? [];
      live.changeBackground({
        waiting: current === undefined || calls.length === 0 ? undefined : { ...current, calls },
      });
    } else {
      const retry = nextRetry(notice.retry, this.#context.deployment, pauses);
      const isLast = retry.failures >= mostAttempts;
      const fields = { thread_id: live.record.id, delivery_id: notice.id, failures: retry.failures, cause: problem };
      log("error", isLast ? "webhook_given_up" : "webhook_failed", fields);
      // Calls that were added during the attempt are sent now, together with those that failed.
      if (current === notice) live.changeBackground({ waiting: isLast ? undefined : { ...notice, retry } });
    }
    live.save();
  }

  /** Sends one delivery. Returns why it failed; null if the receiver accepted it. */
  async #post(id: string, body: string): Promise<string | null> {
    const { outbound, clock } = this.#context.deployment;
    const { url, secret, allowedHosts } = this.#settings;
    const timestamp = String(Math.floor(clock.now() / 1e6));
    try {
      const headers = {
        "content-type": "application/json",
        "webhook-id": id,
        "webhook-timestamp": timestamp,
        "webhook-signature": `v1,${await signature(secret, `${id}.${timestamp}.${body}`)}`,
      };
      const response = await outbound(url, { method: "POST", headers, body, redirect: "manual", allowedHosts, limits });
      // Nothing of the body is used, so a failure to cancel it has no consequence.
      response.body?.cancel().catch(() => undefined);
      return response.ok ? null : `The webhook's receiver answered with status ${String(response.status)}.`;
    } catch (cause) {
      return String(causeOf(cause));
    }
  }
}

/** Base64 of the HMAC with SHA-256 (Standard Webhooks, "Signature scheme"). */
async function signature(secret: Uint8Array, text: string): Promise<string> {
  const key = await crypto.subtle.importKey("raw", secret, { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
  return toBase64(new Uint8Array(await crypto.subtle.sign("HMAC", key, new TextEncoder().encode(text))));
}
