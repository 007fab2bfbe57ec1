// Answers DNS questions over HTTPS in JSON, also with unusual answers.

import { A, CNAME, zone } from "./zone.mjs";

/**
 * @typedef {import("node:http").ServerResponse} Response
 * @typedef {{ seen: Map<string, number> }} Memory
 */

/** The questions that a resolver has received, each with its count. */
export function createMemory() {
  return { received: /** @type {Map<string, number>} */ (new Map()) };
}

/**
 * @param {Memory} memory
 * @param {Response} response
 * @param {URL} url
 */
export function answerQuestion(memory, response, url) {
  const name = (url.searchParams.get("name") ?? "").toLowerCase();
  const type = Number(url.searchParams.get("type") ?? A);
  const key = `${url.searchParams.get("id")} ${name} ${type}`;
  const before = memory.received.get(key) ?? 0;
  memory.received.set(key, before + 1);

  const known = zone[name] ?? { status: 3 };
  const records = (before > 0 ? known.later : undefined) ?? known.records ?? [];
  const Answer = records
    .filter((record) => record.type === type || record.type === CNAME)
    .map((record) => ({ name: `${record.name ?? name}.`, type: record.type, TTL: record.ttl ?? 0, data: record.data }));
  const body = JSON.stringify({
    Status: known.status ?? 0,
    TC: known.truncated ?? false,
    Question: [{ name: `${name}.`, type }],
    ...(Answer.length === 0 ? {} : { Answer }),
  });
  const odd = known.oddType === undefined || known.oddType === type ? known.odd : undefined;
  const headers = { "content-type": "application/dns-json" };
  if (odd === "hold") return;
  if (odd === "stuck") {
    response.writeHead(200, headers);
    response.write(body.slice(0, 10));
  } else if (odd === "text") response.writeHead(200, headers).end("no JSON");
  else if (odd === "shapeless") response.writeHead(200, headers).end('{"Status":"0"}');
  else if (odd === "huge") response.writeHead(200, headers).end(body + " ".repeat(100_000));
  else if (odd === "redirect") response.writeHead(302, { location: "/dns-query?name=one.example.com&type=1" }).end();
  else if (odd === "status 500") response.writeHead(500, headers).end(body);
  else response.writeHead(200, headers).end(body);
}
