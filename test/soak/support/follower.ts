// A client that follows one thread through every life of the server: it keeps the events from before a kill and resumes
// with its last number. It records numbers that arrive twice, and everything that it received as final.

import { emptyView } from "#contract/fold.ts";
import type { ThreadView } from "#contract/fold.ts";
import type { Message } from "#contract/thread-message.ts";

import type { ApiClient } from "../../support/http-client/api-client.ts";
import type { RecordedSubscription } from "../../support/http-client/feed.ts";
import { settledMessages } from "../../support/http-client/transcript.ts";
import type { Findings } from "./findings.ts";

/** The transport of its subscription. */
export type Way = "sse" | "socket";

/** Its state while it is disconnected, as JSON. */
export interface FollowerMemory {
  view: ThreadView;
  final: [string, Message][];
  types: [number, string][];
}

/** One client. */
export class Follower {
  /** Its view of the thread, up to the last event that it received. */
  view: ThreadView = emptyView;
  /** Unfinished answers in its view when a kill interrupted it. */
  halves = 0;
  /** Runs whose `step_end` it received during the current or last connection. */
  stepped: ReadonlySet<string> = new Set();
  #feed: RecordedSubscription | null = null;
  readonly #final = new Map<string, Message>();
  readonly #types = new Map<number, string>();
  readonly #name: string;
  readonly #way: Way;
  readonly #findings: Findings;

  constructor(name: string, way: Way, findings: Findings) {
    this.#name = name;
    this.#way = way;
    this.#findings = findings;
  }

  /** The open subscription; null while the server is down. */
  get feed(): RecordedSubscription | null {
    return this.#feed;
  }

  memory(): FollowerMemory {
    return { view: this.view, final: [...this.#final], types: [...this.#types] };
  }

  /** Continues with the state of another follower. */
  recall({ view, final, types }: FollowerMemory): void {
    this.view = view;
    for (const [id, message] of final) this.#final.set(id, message);
    for (const [seq, type] of types) this.#types.set(seq, type);
  }

  async attach(api: ApiClient, id: string, untilIdle = false): Promise<void> {
    const query = `after=${String(this.view.last_seq)}${untilIdle ? "&until=idle" : ""}`;
    this.#feed = await (this.#way === "sse" ? api.events(id, query) : api.socket(id, query));
  }

  /** Ends the subscription, and keeps the events that arrived. Also used when the server is gone. */
  async detach(): Promise<string> {
    const feed = this.#feed;
    if (feed === null) return "never attached";
    const how = await feed.untilEnd(60_000).catch((thrown: unknown) => String(thrown));
    if (feed.ending === null) feed.close();
    this.#feed = null;
    this.#note(feed);
    this.stepped = new Set(feed.ofType("step_end").map(({ run_id }) => run_id ?? ""));
    if (feed.faults.length > 0) {
      this.#findings.add("SURV7", `${this.#name} received ${feed.faults.join("; ")}`);
      return how;
    }
    this.view = feed.view(this.view);
    if (this.view.messages.some(({ streaming }) => streaming)) this.halves += 1;
    return how;
  }

  /** Compares its view, and everything that it received as final, with the transcript. */
  compare(messages: readonly Message[]): void {
    const received = JSON.stringify(settle(this.view));
    if (received !== JSON.stringify(messages)) {
      this.#findings.add("SURV6", `${this.#name} sees ${received}, and the transcript is ${JSON.stringify(messages)}`);
    }
    for (const [id, { content }] of this.#final) {
      if (messages.find((message) => message.id === id)?.content === content) continue;
      this.#findings.add("SURV6", `${this.#name} received "${String(content)}" as final, and it is gone`);
    }
  }

  /** Compares the numbers that it received with those of a replay from the first event. */
  compareNumbers(feed: RecordedSubscription): void {
    for (const { seq, type } of feed.events) {
      const before = this.#types.get(seq);
      // In a replay one event may replace several deltas, so a number may belong to another type of delta there.
      if (before === undefined || before === type || [before, type].every((name) => name.endsWith("_delta"))) continue;
      this.#findings.add("SURV7", `${this.#name} received ${before} as ${String(seq)}, and now it is ${type}`);
    }
  }

  #note(feed: RecordedSubscription): void {
    for (const event of feed.events) {
      const { seq, type } = event;
      if (type === "snapshot") continue;
      if (seq <= this.view.last_seq) {
        this.#findings.add(
          "SURV7",
          `${this.#name} received ${String(seq)} (${type}) after ${String(this.view.last_seq)}`,
        );
      }
      this.#types.set(seq, type);
      if (type === "message_end") this.#final.set(event.message.id, event.message);
      if (type === "message_deleted") this.#final.delete(event.message.id);
    }
  }
}

function settle(view: ThreadView): unknown {
  try {
    return settledMessages(view.messages);
  } catch (thrown) {
    return String(thrown);
  }
}
