// An MCP server on this machine: `npm run demo:server`.

import { defineMcpServer } from "threadhold";

import { demoServer } from "../lib/demo-server.ts";

export default defineMcpServer({
  name: "library",
  url: ({ env }) => `${demoServer(env)}/mcp`,
  allowedHosts: ["127.0.0.1:8790"],
  timeoutMs: 10_000,
});
