// One answer, read with and without the direct path of plain deltas.

import type { ChunkCounts, ModelPart, ModelPort, ModelRequest } from "#core/ports/model-port.ts";
import { createModelPort, type ModelPortOptions } from "#models/create-model-port.ts";
import type { AnyModelDefinition } from "#spec/index.ts";

import { model, request, serverEnv, type Provider } from "./ask-model.ts";

/** How the bytes of an answer arrive: in these pieces. The connection breaks after the last one, or the body ends. */
export interface Arrival {
  pieces: readonly Uint8Array[];
  breaks?: boolean;
  /** The number of pieces after which the request is aborted. */
  abortsAfter?: number | undefined;
  /** The number of pieces that were read. It is set here. */
  sent?: number;
  /** The pieces of the answers to further requests. */
  later?: readonly (readonly Uint8Array[])[];
}

/** A model, and a request without it. */
export interface RequestCase {
  provider: Provider;
  definition?: Partial<AnyModelDefinition>;
  request?: Partial<ModelRequest>;
}

/** The parts of an answer; the counts of its chunks apart, because they depend on the time at which pieces arrive. */
export interface ReadAnswer {
  parts: ModelPart[];
  chunks: ChunkCounts | undefined;
  /** The bodies of the requests. */
  bodies: string[];
}

/** Waits until everything that is ready has run. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}

/** A body whose pieces arrive after its reader has nothing more to do. */
function bodyOf(arrival: Arrival, pieces: Arrival["pieces"], stop: AbortController): ReadableStream<Uint8Array> {
  const { breaks = false, abortsAfter } = arrival;
  let sent = 0;
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        await nextTurn();
        if (sent === abortsAfter) return stop.abort();
        const next = pieces[sent];
        sent += 1;
        arrival.sent = sent;
        if (next !== undefined) controller.enqueue(next);
        else if (breaks) controller.error(new Error("reset"));
        else controller.close();
      },
    },
    { highWaterMark: 0 },
  );
}

/** The package gives a call whose id is that of another one a random id. */
export function withPlainId(part: ModelPart): ModelPart {
  return "id" in part && /^[A-Za-z0-9]{16}(?:_|$)/.test(part.id) ? { ...part, id: "random" } : part;
}

/** Reads an answer. */
export async function readArrival(
  arrival: Arrival,
  requested: RequestCase,
  { reader = () => Promise.resolve(), ...options }: Partial<ModelPortOptions> & { reader?: PartReader },
): Promise<ReadAnswer> {
  const stop = new AbortController();
  const later = [...(arrival.later ?? [])];
  const bodies: string[] = [];
  const port: ModelPort = createModelPort({
    env: serverEnv("https://provider.example"),
    fetch: (_input, init) => {
      const pieces = bodies.length === 0 ? arrival.pieces : (later.shift() ?? []);
      bodies.push(typeof init?.body === "string" ? init.body : "");
      const headers = { "content-type": "text/event-stream" };
      return Promise.resolve(new Response(bodyOf(arrival, pieces, stop), { headers }));
    },
    ...options,
  });
  const tools = [{ name: "get_weather", description: "The weather", parameters: { type: "object" } }];
  const given = request(model(requested.provider, "any", requested.definition), { tools, ...requested.request });
  const parts: ModelPart[] = [];
  for await (const part of port.stream(given, stop.signal)) {
    parts.push(withPlainId(part));
    await reader(part);
  }
  const last = parts.at(-1);
  if (last?.type !== "finish" && last?.type !== "error") return { parts, chunks: undefined, bodies };
  const { chunks, ...rest } = last;
  return { parts: [...parts.slice(0, -1), rest as ModelPart], chunks, bodies };
}

/** Called with each part. The next one is read when the promise resolves. */
type PartReader = (part: ModelPart) => Promise<void>;

/** Reads an answer with and without the direct path. */
export async function readBoth(
  arrival: Arrival,
  requested: RequestCase,
  reader: PartReader = () => Promise.resolve(),
): Promise<{ direct: ReadAnswer; package: ReadAnswer }> {
  const direct = await readArrival(arrival, requested, { reader });
  return { direct, package: await readArrival(arrival, requested, { reader, direct: false }) };
}

/** The pieces of bytes that are cut at these offsets. */
export function cutAt(bytes: Uint8Array, offsets: readonly number[]): Uint8Array[] {
  const ends = [...new Set(offsets.map((offset) => offset % bytes.length))].filter((end) => end > 0);
  const sorted = [0, ...ends.toSorted((a, b) => a - b), bytes.length];
  return sorted.slice(1).map((end, at) => bytes.slice(sorted[at], end));
}
