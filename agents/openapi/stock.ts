// An HTTP API on this machine: `npm run demo:server`.

import { defineOpenApi } from "threadhold";

import { demoServer } from "../lib/demo-server.ts";
import document from "./stock.json";

export default defineOpenApi({
  name: "stock",
  document,
  baseUrl: ({ env }) => `${demoServer(env)}/stock`,
  allowedHosts: ["127.0.0.1:8790"],
  timeoutMs: 10_000,
});
