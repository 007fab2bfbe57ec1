// The process of the MCP servers. It sends its address to its parent process, and ends with it.

import { startMcpServer } from "./server.mjs";

process.on("disconnect", () => process.exit());
const { url } = await startMcpServer();
process.send?.({ url });
