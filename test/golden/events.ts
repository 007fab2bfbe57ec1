// The event sections of a transcript. An event that an earlier reader received in the same form is written as a reference by its
// number, and so is an event that a row stores.

import type { ThreadEvent } from "#contract/event.ts";
import type { Json } from "#contract/json.ts";
import type { Message } from "#contract/thread-message.ts";
import type { Thread } from "#contract/thread.ts";
import { transcriptProblems } from "#testing/transcript-invariants.ts";

import { EventReader, withoutDeltas } from "./event-reader.ts";
import type { ReadEvent } from "./event-reader.ts";
import { asText, line, plain, sorted } from "./normal-form.ts";
import type { Stage } from "./stage.ts";

type Fields = Record<string, Json>;

/** Fields of every event of a stream: its thread, its time, and the number of the frame before it. */
const ofEvery = ["thread_id", "at", "prev"];

/** The events that readers received, by thread and number. */
export class PublishedEvents {
  readonly #events = new Map<string, Fields[]>();

  /** Adds an event that a reader received. */
  add(thread: string, { seq, ...fields }: ReadEvent): void {
    const key = `${thread} ${String(seq)}`;
    this.#events.set(key, [...(this.#events.get(key) ?? []), plain(fields as Fields) as Fields]);
  }

  /** Returns the value with stored events replaced by references to received ones. */
  named(thread: string, value: Json): Json {
    if (Array.isArray(value)) return value.map((item) => this.named(thread, item));
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([field, item]) => [
        field,
        field === "events" && Array.isArray(item)
          ? item.map((event) => this.#name(thread, event))
          : this.named(thread, item),
      ]),
    );
  }

  #name(thread: string, event: Json): Json {
    if (typeof event !== "object" || event === null || Array.isArray(event)) return event;
    const { seq, ...fields } = event;
    const kept = plain(fields) as Fields;
    for (const published of this.#events.get(`${thread} ${asText(seq)}`) ?? []) {
      const isKept = Object.entries(kept).every(
        ([field, value]) => JSON.stringify(published[field]) === JSON.stringify(value),
      );
      if (!isKept || kept["at"] === undefined) continue;
      const left = Object.keys(published).filter((field) => !(field in kept) && !ofEvery.includes(field));
      return left.length === 0 ? `event ${asText(seq)}` : `event ${asText(seq)} without ${left.join(", ")}`;
    }
    return event;
  }
}

/** Returns the event sections of a play, and ends its readers. */
export async function eventSections(stage: Stage, published: PublishedEvents): Promise<string[][]> {
  const sections: string[][] = [];
  for (const [at, id] of stage.threads.entries()) {
    const read = async (query: string): Promise<EventReader> => {
      const reader = new EventReader(await stage.send("GET", `/api/threads/${id}/events?${query}`));
      await reader.ended;
      return reader;
    };
    const readers: [name: string, reader: EventReader][] = [];
    const after = await read("after=0&until=idle");
    if (at === 0) {
      const quietly = await read(`after=0&until=idle&types=${withoutDeltas}`);
      const { live, quiet } = stage;
      await live?.leaveAt(after.events.at(-1)?.seq ?? 0);
      await quiet?.leaveAt(quietly.events.at(-1)?.seq ?? 0);
      if (live !== null) readers.push(["events while it is played", live]);
      if (quiet !== null) readers.push(["events while it is played, without deltas", quiet]);
      readers.push(["events after the end", after], ["events after the end, without deltas", quietly]);
      readers.push(["snapshot", await read("until=idle")]);
    } else readers.push([`events of ${id}`, after]);
    const broken = await brokenInvariants(stage, id, after);
    const known = new Map<string, string>();
    for (const [name, reader] of readers) {
      const lines = eventLines(reader.events, { name, thread: id, known });
      sections.push([`# ${name}`, ...reader.problems, ...(reader === after ? broken : []), ...lines]);
      for (const event of reader.events) published.add(id, event);
    }
  }
  return sections;
}

/** A line for each invariant that the transcript of an idle thread breaks; stored transcripts have none. Silent messages are not read. */
async function brokenInvariants(stage: Stage, id: string, { frames }: EventReader): Promise<string[]> {
  const read = async <T>(path: string): Promise<T> => (await stage.send("GET", `/api/threads/${id}${path}`)).json<T>();
  const { active_run_id, last_seq: lastSeq } = await read<Thread>("");
  if (active_run_id !== null) return [];
  const { messages } = await read<{ messages: Message[] }>("/messages?limit=1000&order=asc");
  return transcriptProblems({ events: frames as unknown as ThreadEvent[], messages, lastSeq });
}

/** A reference to an event that an earlier reader received in the same form. */
interface Same {
  where: string;
  seq: number;
}

/** One line for each event. A line that begins with "in" holds the fields that the events after it share. */
function eventLines(
  events: readonly ReadEvent[],
  { name, thread, known }: { name: string; thread: string; known: Map<string, string> },
): string[] {
  const lines: string[] = [];
  let place = "";
  let same: Same[] = [];
  const end = (): void => {
    const [first, last, count] = [same[0], same.at(-1), same.length];
    if (first === undefined || last === undefined) return;
    lines.push(`= ${first.where}: ${String(first.seq)} to ${String(last.seq)}, ${String(count)} of them`);
    [same, place] = [[], ""];
  };
  for (const { seq, type, ...fields } of events) {
    const shown = own(fields as Fields, thread);
    // Merging deltas changes the order of their fields, and deltas may be merged before or after they are sent.
    const text = JSON.stringify([seq, type, type.endsWith("_delta") ? sorted(shown) : shown]);
    const where = known.get(text);
    if (where !== same[0]?.where) end();
    if (where !== undefined) {
      same.push({ where, seq });
      continue;
    }
    known.set(text, name);
    const [at, rest] = [part(shown, (field) => places.has(field)), part(shown, (field) => !places.has(field))];
    const there = line("  in", at);
    if (there !== place) lines.push(there);
    place = there;
    lines.push(line(`${String(seq)} ${type}`, rest));
  }
  end();
  return lines;
}

/** Fields that consecutive events often share. */
const places = new Set(["run_id", "step", "side", "depth", "parent_id", "message_id"]);

const part = (fields: Fields, wanted: (field: string) => boolean): Fields =>
  Object.fromEntries(Object.entries(fields).filter(([field]) => wanted(field)));

/** The fields of an event without those that follow from its stream. EventReader has checked `prev`. */
function own(fields: Fields, thread: string): Fields {
  const shown = plain(fields) as Fields;
  delete shown["prev"];
  if (fields["thread_id"] === thread) delete shown["thread_id"];
  if (shown["at"] === "<time>") delete shown["at"];
  return shown;
}
