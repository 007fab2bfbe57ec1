// The sources of tools that the contract suite checks. A new source needs an entry here.

import { inject } from "vitest";

import { setServer } from "../thread/mcp-driver.ts";
import { reachable } from "../worker/outbound-world.ts";
import { documentOf, setApi } from "./openapi/api-driver.ts";
import type { Call } from "./tool-caller.ts";
import { pageUrl } from "./web/page-url.ts";

/** A call that a crash interrupts after the tool has run and before its result is stored. */
interface InterruptedCall {
  call: Call;
  /** Called before the test instead of the source's `prepare`. */
  prepare?: () => void;
  /** `repeated`: the tool runs again. `reported`: the model gets an error. `found done`: the tool finds its result, and does not run again. */
  outcome: "repeated" | "reported" | "found done";
}

/** A source of tools, with calls for the suite. */
export interface SourceCase {
  /** The agent whose prompt lists the source's tools. */
  agent: string;
  /** Called before each test. */
  prepare: () => void;
  /** A call that succeeds, a part of its result, and other valid arguments with a part of their result. */
  valid: Call;
  result: string;
  changed: { args: Record<string, unknown>; result: string };
  /** A call whose arguments do not match the tool's schema, and the part of its error that states the problem. */
  invalid: Call;
  problem: string;
  /** A call that fails, and a part of its error. */
  failing: Call;
  error: string;
  /** A call that a person has to approve, and its agent if it is another one. Absent if no tool of the source needs an approval. */
  approved?: { call: Call; agent?: string };
  /** Calls of the source's tools for each outcome that its tools have. */
  interrupted: InterruptedCall[];
  /** Sets time limits, and returns calls that reach theirs, with a part of their errors. Absent if the source's tools have no limit of their own. */
  late?: () => { agent: string; calls: [call: Call, error: string][] };
  /** Creates a call that does not end; `begun` counts how often it began outside of the thread. Absent if the source has no such tool. */
  endless?: () => { call: Call; begun: () => Promise<number> };
}

const id = { name: "id", in: "path", required: true, schema: { type: "integer" } };
const notes = documentOf({
  "/notes/{id}": { parameters: [id], get: { operationId: "read" }, delete: { operationId: "remove" } },
  "/notes": { post: { operationId: "add" } },
  "/files/{path}": { get: { operationId: "elsewhere" } },
  "/slow": { post: { operationId: "wait" } },
});

const reachServer = () => void reachable.splice(0, reachable.length, new URL(inject("outboundServer")).host);

/** The sources by name. */
export const sources: [name: string, source: SourceCase][] = [
  [
    "an MCP server",
    {
      agent: "mcp",
      prepare: () => void setServer("everything", "everything", { needsApproval: ["get-sum"] }),
      valid: ["everything__echo", { message: "one" }],
      result: "Echo: one",
      changed: { args: { message: "two" }, result: "Echo: two" },
      invalid: ["everything__echo", { message: 1 }],
      problem: "message: has to be string, found number 1",
      failing: ["everything__get-resource-reference", { resourceType: "Text", resourceId: -1 }],
      error: "Invalid resourceId",
      approved: { call: ["everything__get-sum", { a: 1, b: 2 }] },
      interrupted: [
        { call: ["everything__echo", { message: "one" }], outcome: "reported" },
        {
          call: ["everything__echo", { message: "one" }],
          prepare: () => void setServer("everything", "everything", { trustAnnotations: true }),
          outcome: "repeated",
        },
      ],
      late: () => {
        setServer("everything", "bad/slow", { timeoutMs: 1000 });
        return { agent: "mcp", calls: [[["everything__ping", {}], "did not finish within 1 s"]] };
      },
      endless: () => {
        const server = setServer("everything", "bad/slow");
        const begun = async () => (await server.requests()).lines.filter((line) => line.includes("tools/call")).length;
        return { call: ["everything__ping", {}], begun };
      },
    },
  ],
  [
    "an OpenAPI document",
    {
      agent: "api",
      prepare: () => void setApi(notes, { needsApproval: ["remove"] }),
      valid: ["api__read", { id: 1 }],
      result: "/notes/1",
      changed: { args: { id: 2 }, result: "/notes/2" },
      invalid: ["api__read", { id: "one" }],
      problem: 'id: has to be integer, found string "one"',
      failing: ["api__elsewhere", { path: ".." }],
      error: "lead out of the path",
      approved: { call: ["api__remove", { id: 3 }] },
      interrupted: [
        { call: ["api__read", { id: 1 }], outcome: "repeated" },
        { call: ["api__add", {}], outcome: "reported" },
      ],
      late: () => {
        setApi(notes, { timeoutMs: 200 });
        return { agent: "api", calls: [[["api__wait", {}], "took too long for its whole answer"]] };
      },
      endless: () => {
        const api = setApi(notes);
        const begun = async () => (await api.requests()).filter((line) => line === "POST /api/slow").length;
        return { call: ["api__wait", {}], begun };
      },
    },
  ],
  [
    "the tools for files",
    {
      agent: "coder",
      prepare: () => {},
      valid: ["write_file", { path: "/a.txt", content: "one" }],
      result: "Wrote 3 bytes to /a.txt",
      changed: { args: { path: "/b.txt", content: "three" }, result: "Wrote 5 bytes to /b.txt" },
      invalid: ["write_file", { path: "/a.txt" }],
      problem: "content: Invalid input: expected string, received undefined",
      failing: ["read_file", { path: "/missing.txt" }],
      error: "/missing.txt",
      interrupted: [
        { call: ["write_file", { path: "/a.txt", content: "one" }], outcome: "repeated" },
        { call: ["read_file", { path: "/given.txt" }], outcome: "repeated" },
        { call: ["edit_file", { path: "/given.txt", old_text: "given", new_text: "edited" }], outcome: "found done" },
        { call: ["list_files", {}], outcome: "repeated" },
        { call: ["search", { pattern: "given" }], outcome: "repeated" },
      ],
      late: () => ({
        agent: "coder-limited",
        calls: [
          [["list_brief", {}], "Listing timed out"],
          [["search_brief", { pattern: "a" }], "Search timed out"],
        ],
      }),
    },
  ],
  [
    "the shell",
    {
      agent: "coder",
      prepare: () => {},
      valid: ["bash", { command: "echo one" }],
      result: "Exit code: 0\none",
      changed: { args: { command: "echo two" }, result: "Exit code: 0\ntwo" },
      invalid: ["bash", { script: "echo one" }],
      problem: "command: Invalid input: expected string, received undefined",
      failing: ["bash", { command: "mkfs /dev/sda" }],
      error: "Command blocked",
      approved: { call: ["bash_approved", { command: "echo one" }], agent: "coder-limited" },
      interrupted: [{ call: ["bash", { command: "echo one >> /a.txt" }], outcome: "reported" }],
      late: () => ({
        agent: "coder-limited",
        calls: [[["bash_brief", { command: "sleep 300" }], "Command timed out after 0.2s"]],
      }),
    },
  ],
  [
    "the tool for web pages",
    {
      agent: "coder",
      prepare: reachServer,
      valid: ["fetch_url", { url: pageUrl("text/plain", "one") }],
      result: "one\n</untrusted_page>",
      changed: { args: { url: pageUrl("text/plain", "two") }, result: "two\n</untrusted_page>" },
      invalid: ["fetch_url", { address: "https://example.com" }],
      problem: "url: Invalid input: expected string, received undefined",
      failing: ["fetch_url", { url: pageUrl("application/pdf", "%PDF") }],
      error: "is a PDF",
      approved: { call: ["fetch_approved", { url: pageUrl("text/plain", "one") }], agent: "coder-limited" },
      interrupted: [{ call: ["fetch_url", { url: pageUrl("text/plain", "one") }], outcome: "repeated" }],
      late: () => {
        reachServer();
        const url = `${inject("outboundServer")}/hold`;
        return {
          agent: "coder-limited",
          calls: [[["fetch_brief", { url }], "did not answer completely within 0.2 s"]],
        };
      },
    },
  ],
  [
    "the skills",
    {
      agent: "skilled",
      prepare: () => {},
      valid: ["read_skill", { name: "adding" }],
      result: "Add from the right.",
      changed: { args: { name: "writing", path: "references/words.md" }, result: "Say use, not utilise." },
      invalid: ["read_skill", { path: "SKILL.md" }],
      problem: "name: is required, but missing",
      failing: ["read_skill", { name: "none" }],
      error: 'There is no skill "none"',
      interrupted: [{ call: ["read_skill", { name: "adding" }], outcome: "repeated" }],
    },
  ],
];
