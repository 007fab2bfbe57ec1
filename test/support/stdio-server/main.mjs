// An MCP server over standard input and output with one tool. Its first argument is the way in which it misbehaves; the second one is the size
// of the results of the mode "returns a long text".

import { createInterface } from "node:readline";

const [mode, mebibytes = "0"] = process.argv.slice(2);

const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);

if (mode === "ends at the start") {
  process.stderr.write("The setting KEY is missing.\n");
  process.exit(3);
}
if (mode === "ignores the end") {
  process.on("SIGTERM", () => {});
  // Keeps the process running after the end of its input.
  setInterval(() => {}, 1000);
}
if (mode === "writes many errors") for (let line = 0; line < 5000; line += 1) process.stderr.write(`line ${line}\n`);
if (mode === "writes a long error") process.stderr.write("x".repeat(1_000_000));
if (mode === "writes without end") {
  const write = () => {
    while (process.stdout.write("x".repeat(65_536)));
  };
  process.stdout.on("drain", write);
  write();
}
if (mode === "writes no JSON") process.stdout.write("Welcome!\n");

let pings = 0;

const longText = () => "x".repeat(Number(mebibytes) * 1024 * 1024);

const results = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: "stdio", version: "1" },
  }),
  "tools/list": ({ cursor = "0" }) => ({
    ...(mode === "lists pages without end" ? { nextCursor: String(Number(cursor) + 1) } : {}),
    tools: [
      {
        name: "environment",
        description: "Returns the variables and the id of the process",
        inputSchema: { type: "object", properties: {} },
        ...(mode === "lists pages without end" ? { _meta: { values: Array.from({ length: 40_000 }, () => 1) } } : {}),
      },
    ],
  }),
  "tools/call": () => ({
    content: [
      {
        type: "text",
        ...(mode === "returns many values" ? { _meta: { values: Array.from({ length: 200_000 }, () => 1) } } : {}),
        text:
          mode === "returns a long text"
            ? longText()
            : JSON.stringify({ pid: process.pid, cwd: process.cwd(), env: process.env }),
      },
    ],
  }),
};

createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined || mode === "answers nothing") return;
  if (method === "tools/call" && mode === "ends in a call") process.exit(1);
  if (method === "tools/call" && mode === "does not end a call") {
    process.stderr.write("called\n");
    return;
  }
  if (method === "tools/call" && mode === "pings") {
    for (let at = 0; at < 600; at += 1) send({ id: `ping ${pings++}`, method: "ping" });
  }
  const result = results[method]?.(params);
  if (mode === "writes batches" && result !== undefined) {
    const note = { jsonrpc: "2.0", method: "notifications/message", params: { level: "info", data: "noted" } };
    return process.stdout.write(`\uFEFF${JSON.stringify([note, { jsonrpc: "2.0", id, result }, note])}\r\n`);
  }
  if (mode === "writes odd envelopes" && result !== undefined) {
    return send({ id, error: null, params: null, result: { ...result, _meta: { progressToken: null } } });
  }
  send(result === undefined ? { id, error: { code: -32601, message: "unknown" } } : { id, result });
});
