// The server of the demo agents `librarian` and `storekeeper`, on the loopback: node examples/demo-server.mjs [port]
//
// POST /mcp          an MCP server, with the tools find_books and reserve_book
// GET  /stock/items  an HTTP API, which agents/openapi/stock.json describes
// POST /stock/orders

import { createServer } from "node:http";
import { fileURLToPath } from "node:url";

import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import { z } from "zod";

const books = [
  { title: "The Long Thread", author: "A. Weaver", shelf: "B2", subjects: "threads weaving" },
  { title: "Bridges of Rope", author: "M. Span", shelf: "C1", subjects: "ropes bridges" },
  { title: "A Field Guide to Knots", author: "R. Bowline", shelf: "C4", subjects: "knots ropes" },
];

const items = [
  { id: 1, name: "lamp", left: 12 },
  { id: 2, name: "blanket", left: 2 },
  { id: 3, name: "tea set", left: 7 },
];

/** The maximum number of bytes of a request's body. */
const mostBytes = 100_000;

/** Creates the MCP server for one request. It keeps no session. */
function library() {
  const server = new McpServer({ name: "library", version: "1.0.0" });
  const text = (value) => ({ content: [{ type: "text", text: value }] });
  server.registerTool(
    "find_books",
    {
      description: "Finds books by words of their title or their subjects",
      inputSchema: { words: z.string().describe("Words, such as: ropes knots") },
      annotations: { readOnlyHint: true },
    },
    ({ words }) => {
      const wanted = words.toLowerCase().match(/\p{L}+/gu) ?? [];
      const found = books.filter(({ title, subjects }) => {
        const known = `${title} ${subjects}`.toLowerCase();
        return wanted.some((word) => known.includes(word));
      });
      const lines = found.map(({ title, author, shelf }) => `${title}, by ${author}, shelf ${shelf}`);
      return text(lines.length === 0 ? "No book was found." : lines.join("\n"));
    },
  );
  server.registerTool(
    "reserve_book",
    {
      description: "Reserves a book until Friday",
      inputSchema: { title: z.string().describe("The title of the book") },
    },
    ({ title }) => {
      const book = books.find((each) => each.title === title);
      if (book === undefined) return { ...text(`There is no book "${title}".`), isError: true };
      return text(`"${title}" is reserved until Friday. It waits at shelf ${book.shelf}.`);
    },
  );
  return server;
}

/** Answers a request of the HTTP API. */
function stock(request, path, body) {
  if (request.method === "GET" && path === "/stock/items") return { status: 200, value: items };
  if (request.method !== "POST" || path !== "/stock/orders") return { status: 404, value: { error: "not found" } };
  const item = items.find(({ id }) => id === body?.item);
  const count = body?.count;
  if (item === undefined || !Number.isInteger(count) || count < 1) {
    return { status: 422, value: { error: "item and count are needed" } };
  }
  return { status: 201, value: { item: item.name, count, arrives: "Thursday" } };
}

async function bodyOf(request) {
  const pieces = [];
  let size = 0;
  for await (const piece of request) {
    size += piece.length;
    if (size > mostBytes) throw new Error("The body is too large.");
    pieces.push(piece);
  }
  return size === 0 ? undefined : JSON.parse(Buffer.concat(pieces).toString("utf8"));
}

async function serve(request, response) {
  const { pathname } = new URL(request.url ?? "/", "http://server");
  const body = await bodyOf(request);
  if (pathname !== "/mcp") {
    const { status, value } = stock(request, pathname, body);
    return void response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(value));
  }
  if (request.method !== "POST") return void response.writeHead(405, { allow: "POST" }).end();
  const server = library();
  const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: undefined, enableJsonResponse: true });
  response.on("close", () => void server.close());
  await server.connect(transport);
  await transport.handleRequest(request, response, body);
}

/**
 * Starts the server. The port 0 is any free port.
 *
 * @param {number} port
 * @returns {Promise<{ url: string, close: () => Promise<void> }>}
 */
export async function startDemoServer(port) {
  const server = createServer((request, response) => {
    serve(request, response).catch((error) => {
      if (!response.headersSent) response.writeHead(400, { "content-type": "application/json" });
      response.end(JSON.stringify({ error: String(error) }));
    });
  });
  await new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, "127.0.0.1", () => resolve(undefined));
  });
  const address = server.address();
  const used = typeof address === "object" && address !== null ? address.port : port;
  return {
    url: `http://127.0.0.1:${used}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve(undefined));
        server.closeAllConnections();
      }),
  };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { url } = await startDemoServer(Number(process.argv[2] ?? 8790));
  console.log(`MCP server: ${url}/mcp\nHTTP API:   ${url}/stock/items`);
}
