// The types of tools that each protocol's provider executes itself, and the bounds of a definition's list of them. A build and a session refuse other
// types. A Worker does not repeat the check, so requests do not load this file.

import { jsonBytes } from "#lib/cut-text.ts";
import { parseBoundedOrNull } from "#lib/untrusted/bounded-json.ts";
import type { ModelProviderTool } from "#spec/index.ts";

import type { ProviderToolProtocol } from "../provider-profile.ts";

interface AcceptedTypes {
  /** A `*` stands for a date of eight digits. */
  types: readonly string[];
  docs: string;
}

const anthropicDocs = "https://platform.claude.com/docs/en/agents-and-tools/tool-use/overview";

const accepted: Readonly<Record<ProviderToolProtocol, AcceptedTypes>> = {
  claude: { types: ["web_search_*", "web_fetch_*", "code_execution_*", "advisor_*"], docs: anthropicDocs },
  "vertex-claude": { types: ["web_search_*"], docs: anthropicDocs },
  responses: {
    types: ["web_search", "web_search_preview", "file_search", "code_interpreter", "image_generation", "mcp"],
    docs: "https://platform.openai.com/docs/guides/tools",
  },
  gemini: {
    types: ["google_search", "url_context", "code_execution", "file_search", "google_maps"],
    docs: "https://ai.google.dev/gemini-api/docs/tools",
  },
  "vertex-gemini": {
    types: ["google_search", "url_context", "code_execution", "google_maps", "enterprise_web_search"],
    docs: "https://cloud.google.com/vertex-ai/generative-ai/docs/grounding/overview",
  },
  converse: {
    types: ["nova_grounding", "nova_code_interpreter"],
    docs: "https://docs.aws.amazon.com/nova/latest/nova2-userguide/using-tools.html",
  },
  openrouter: { types: ["web", "file-parser"], docs: "https://openrouter.ai/docs/guides/features/plugins" },
};

/** The most tools of a definition, and the most bytes and levels of each one. */
const most = { tools: 16, bytes: 8192, depth: 8 };

function isAccepted(type: string, types: readonly string[]): boolean {
  return types.includes(type) || types.includes(type.replace(/\d{8}$/, "*"));
}

/** Why a provider with this protocol cannot use a tool; null if it can. */
function problemOf(tool: ModelProviderTool, { types, docs }: AcceptedTypes): string | null {
  const { type } = tool;
  const named = types.map((known) => known.replace("*", "YYYYMMDD")).join(", ");
  if (!isAccepted(type, types)) return `is no tool that the provider executes; expected one of ${named} (${docs})`;
  const json = JSON.stringify(tool);
  if (jsonBytes(tool) > most.bytes) return `has more than ${most.bytes} bytes`;
  if (parseBoundedOrNull(json, { values: most.bytes, depth: most.depth }) === null)
    return `is nested more than ${most.depth} levels deep`;
  if (type !== "mcp") return null;
  const secret = ["authorization", "headers"].find((field) => tool[field] !== undefined);
  if (secret !== undefined)
    return `has the field "${secret}", and definitions have no secrets; use an MCP server definition for a server that needs it`;
  return tool["require_approval"] === "never"
    ? null
    : 'needs require_approval: "never", because the provider cannot ask a person; use an MCP server definition for calls that need an approval';
}

/** Why the protocol's provider does not accept a definition's tools; null if it accepts all of them. */
export function refusedProviderTools(
  tools: readonly ModelProviderTool[],
  protocol: ProviderToolProtocol,
): string | null {
  if (tools.length > most.tools) return `${tools.length} tools are too many; at most ${most.tools} are accepted`;
  for (const [at, tool] of tools.entries()) {
    const problem = problemOf(tool, accepted[protocol]);
    if (problem !== null) return `"${tool.type}" ${problem}`;
    // A provider has one tool of a kind. MCP servers and stores of files may be several.
    const isRepeated = tools.findIndex(({ type }) => type === tool.type) !== at;
    if (isRepeated && !["mcp", "file_search"].includes(tool.type)) return `"${tool.type}" is listed twice`;
  }
  return null;
}
