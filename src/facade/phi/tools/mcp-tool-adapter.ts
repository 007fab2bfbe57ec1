// The tools of an MCP server as tools of a loop (phi-core, McpToolAdapter; REQ-117 and REQ-118).

import type { ConnectedMcpClient, McpToolsOptions } from "#tools/mcp/mcp-client.ts";
import { McpServerError } from "#tools/mcp/server-error.ts";

import { convertTool } from "../convert-tool.ts";
import { ToolError } from "../loop-tool.ts";
import type { AgentTool } from "../loop-tool.ts";

/** Makes tools of a loop of the tools of an MCP server. */
export const McpToolAdapter = {
  /** Lists the tools of a server, and returns one tool of a loop for each. They work until the client is closed. */
  async fromClient(client: Pick<ConnectedMcpClient, "tools">, options: McpToolsOptions = {}): Promise<AgentTool[]> {
    return (await client.tools(options)).map((tool) => adapted(convertTool(tool)));
  },
};

/** The tool, whose calls fail with a ToolError that names the kind of the server's error. */
function adapted(tool: AgentTool): AgentTool {
  return {
    ...tool,
    async execute(params, context) {
      try {
        return await tool.execute(params, context);
      } catch (thrown) {
        if (!(thrown instanceof McpServerError)) throw thrown;
        const code = thrown.code === null ? "" : ` ${thrown.code}`;
        throw ToolError.failed(`${thrown.kind}${code}: ${thrown.message}`);
      }
    },
  };
}
