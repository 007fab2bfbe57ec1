// An MCP server whose bytes a test dictates. The query `script` of the address is JSON: the responses by method of the protocol, and by `GET`
// and `DELETE`. The responses of one method are sent one after the other; the last one repeats. A method without responses is answered as the
// protocol demands: the tool `count` counts its calls, and its result is their number.
//
// status, type, headers  of the response. Default: 200 and JSON; 405 for GET.
// pieces    texts that are written one after the other. `$ID` is the request's id as JSON, `$TOKEN` that of its progress, `$RAN` the number of
//           calls so far, `$ANSWER` the JSON of the normal response, `$CALL` the id of the last call, `$CALLED` the response of the last call,
//           `$REPORT` the token of its progress.
//           The piece `{ after: "tools/call 2" }` waits for the second request with this method; "response" is a response of the client.
// bytes     the same in base64, without replacement.
// encoding  gzip, deflate or br: the pieces are compressed.
// end       "open": the response does not end; "break": the connection breaks after the pieces.
// ran       The call has run: it counts.

import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";

const compress = { gzip: gzipSync, deflate: deflateSync, br: brotliCompressSync };

/**
 * @param {{ request: import("node:http").IncomingMessage, response: import("node:http").ServerResponse, body: any,
 *   state: Record<string, any>, query: URLSearchParams }} exchange
 */
export async function playScript({ request, response, body, state, query }) {
  const script = JSON.parse(query.get("script") ?? "{}");
  const name = request.method === "POST" ? (body?.method ?? "response") : String(request.method);
  state.ran ??= 0;
  state.played ??= {};
  const played = state.played[name] ?? 0;
  state.played[name] = played + 1;
  state.arrivals ??= {};
  const arrivalOf = (method) =>
    (state.arrivals[method] ??= (() => {
      let arrive = () => {};
      const arrived = new Promise((resolve) => void (arrive = resolve));
      return { arrived, arrive };
    })());
  arrivalOf(`${name} ${played + 1}`).arrive();
  if (name !== "GET" && name !== "DELETE") (state.bodies ??= []).push(body);
  const given = script[name] ?? [];
  const step = given[Math.min(played, given.length - 1)];
  if (name === "tools/call" && (step === undefined || step.ran === true || step.pieces?.join("").includes("$ANSWER"))) {
    state.ran += 1;
  }
  const answer = () => JSON.stringify({ jsonrpc: "2.0", id: body?.id, result: normalResult(body, state) });
  if (name === "tools/call") {
    state.call = { id: body.id, answer: answer(), token: body.params?._meta?.progressToken ?? null };
  }
  const fill = (text) =>
    typeof text !== "string"
      ? text
      : text
          .replaceAll("$ANSWER", () => answer())
          .replaceAll("$CALLED", () => state.call?.answer ?? "")
          .replaceAll("$CALL", () => JSON.stringify(state.call?.id ?? null))
          .replaceAll("$ID", () => JSON.stringify(body?.id ?? null))
          .replaceAll("$TOKEN", () => JSON.stringify(body?.params?._meta?.progressToken ?? null))
          .replaceAll("$REPORT", () => JSON.stringify(state.call?.token ?? null))
          .replaceAll("$RAN", () => String(state.ran));
  if (step === undefined) {
    if (name === "GET") return void response.writeHead(405).end();
    if (body?.id === undefined || body.method === undefined) return void response.writeHead(202).end();
    const session = name === "initialize" ? { "mcp-session-id": `session-${state.played[name]}` } : {};
    return void response.writeHead(200, { "content-type": "application/json", ...session }).end(answer());
  }
  const { status = 200, type = "application/json", headers = {}, pieces = [], bytes, encoding, end } = step;
  response.writeHead(status, {
    ...(type === null ? {} : { "content-type": type }),
    ...(encoding === undefined ? {} : { "content-encoding": encoding }),
    ...headers,
  });
  const parts = bytes === undefined ? pieces : [Buffer.from(bytes, "base64")];
  if (encoding !== undefined)
    response.write(compress[encoding](Buffer.concat(parts.map((part) => Buffer.from(fill(part))))));
  else
    for (const part of parts) {
      if (part.after !== undefined) {
        response.flushHeaders();
        await arrivalOf(part.after).arrived;
        continue;
      }
      await new Promise((resolve) => void response.write(fill(part), resolve));
      await new Promise((resolve) => void setImmediate(resolve));
    }
  if (end === "break") response.destroy();
  else if (end !== "open") response.end();
  else if (parts.length === 0) response.flushHeaders();
}

function normalResult({ method, params }, state) {
  switch (method) {
    case "initialize": {
      const capabilities = { tools: {}, resources: {}, prompts: {} };
      return { protocolVersion: params.protocolVersion, capabilities, serverInfo: { name: "scripted", version: "1" } };
    }
    case "tools/list":
      return { tools: [{ name: "count", inputSchema: { type: "object" } }] };
    case "tools/call":
      return { content: [{ type: "text", text: String(state.ran) }] };
    default:
      return {};
  }
}
