// The process of the MCP servers. It sends the servers' address to its parent process, and ends when the parent process ends.

import { startMcpServer } from "./server.mjs";

process.on("disconnect", () => process.exit());
const { url } = await startMcpServer();
process.send?.({ url });
