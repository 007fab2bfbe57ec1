// The entry `threadhold/tools/mcp`: the tools of MCP servers. The generated registry imports it if the project has files in `agents/mcp/`.

export { openTools } from "./server-tools.ts";
