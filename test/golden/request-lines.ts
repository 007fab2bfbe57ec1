// The requests that a play sent: to scripted models, to the model server and to other servers. A field that equals the one of the
// request before is written as "as before".

import type { Json } from "#contract/json.ts";

import { plain } from "./normal-form.ts";
import type { Stage } from "./stage.ts";

/** Headers that depend on the transport or the machine. */
const ofTransport =
  /^(accept.*|connection|content-length|host|user-agent|x-server-.*|cf-.*|transfer-encoding|traceparent)$/;

type Body = Record<string, Json>;

/** Returns the requests of a play, one line for each field or list item. */
export async function requestLines({ requested, wires }: Stage): Promise<string[]> {
  const scripted = requested.map(({ model, request }) => ({
    head: `model ${model}`,
    body: request as unknown as Body,
  }));
  const sent = (await toServer(wires.model, "__requests")).map(({ method, path, headers, body }) => ({
    head: `${method} ${path} ${shown(headers)}`,
    body: body as Body,
  }));
  const outbound = (await toServer(wires.outbound, "__asked")).map(
    ({ method, path, headers, body }) => `${method} ${path} ${shown(headers)} ${JSON.stringify(body)}`,
  );
  const effects = wires.effects === undefined ? [] : [await effectsOf(wires.effects)];
  return [...bodies(scripted), ...bodies(sent), ...outbound, ...effects];
}

async function effectsOf({ url, id }: { url: string; id: string }): Promise<string> {
  const done = await (await fetch(`${url}/effects?scope=${id}`)).json<Record<string, { effects: number }>>();
  return `effects ${JSON.stringify(
    Object.fromEntries(
      Object.entries(done)
        .toSorted(([left], [right]) => (left < right ? -1 : 1))
        .map(([name, { effects }]) => [name, effects]),
    ),
  )}`;
}

interface SentRequest {
  method: string;
  path: string;
  headers: Record<string, string>;
  body: unknown;
}

async function toServer(wire: { url: string; id: string } | undefined, route: string): Promise<SentRequest[]> {
  if (wire === undefined) return [];
  return (await fetch(`${wire.url}/${route}?id=${wire.id}`)).json();
}

function shown(headers: Record<string, string>): string {
  const kept = Object.entries(headers).filter(([name]) => !ofTransport.test(name));
  return JSON.stringify(Object.fromEntries(kept.toSorted(([left], [right]) => (left < right ? -1 : 1))));
}

function bodies(requests: readonly { head: string; body: Body }[]): string[] {
  return requests.flatMap(({ head, body }, at) => {
    const before = requests.slice(0, at).findLast((one) => one.head.split(" ")[1] === head.split(" ")[1])?.body ?? {};
    const lines = Object.entries(body).flatMap(([field, value]) => fieldLines(field, value, before[field]));
    return [`${String(at + 1)}. ${head}`, ...lines];
  });
}

function fieldLines(field: string, value: Json, before: Json | undefined): string[] {
  const text = (item: Json): string => JSON.stringify(plain(item));
  if (before !== undefined && text(value) === text(before)) return [`   ${field} as before`];
  if (!Array.isArray(value)) return [`   ${field} ${text(value)}`];
  const old = Array.isArray(before) ? before : [];
  let same = 0;
  while (same < Math.min(value.length, old.length) && text(value[same] ?? null) === text(old[same] ?? null)) same += 1;
  const head = same === 0 ? [] : [`   ${field} ${String(same)} as before`];
  return [...head, ...value.slice(same).map((item) => `   ${field} ${text(item)}`)];
}
