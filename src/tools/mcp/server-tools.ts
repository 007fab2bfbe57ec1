// The tools of one MCP server in one run. A session is opened when the list of tools is not in memory, or at the first call. The session is
// closed with the run, because an open stream would keep the thread's object awake.

import type { Progress } from "@modelcontextprotocol/client";

import type { Json, JsonObject } from "#contract/json.ts";
import type {
  DefinedCall,
  DefinedTool,
  DefinedTools,
  SourceFacts,
  ToolsContext,
} from "#core/ports/tool-source-port.ts";
import type { ToolAnswer } from "#core/record/awaited.ts";
import { isAuthorizationRequired } from "#core/rpc/authorization-required.ts";
import type { AnyMcpServerDefinition } from "#spec/index.ts";

import { outsideText } from "../outside-text.ts";
import { Elicitor } from "./elicitation.ts";
import type { AuthorizedRequests } from "./oauth/authorized-requests.ts";
import { OmittedItems } from "./read-items.ts";
import { ReopenedSession } from "./reopened-session.ts";
import { Sampler } from "./sampling.ts";
import { serverError } from "./server-error.ts";
import { featureTools, runFeature } from "./server-features.ts";
import { callResult, hasReadablePart } from "./server-result.ts";
import { ServerSession } from "./server-session.ts";
import type { Server } from "./server-session.ts";
import { callTimes, mcpContext, resolveServer, serverAddress } from "./server-values.ts";
import type { CallTimes } from "./server-values.ts";
import { dropList, keepList, keptList, readTools } from "./tool-list.ts";
import type { ListedTool } from "./tool-list.ts";

/** The maximum number of omitted tools in a log line. */
const mostLogged = 20;

/** The maximum number of progress reports of a call that are emitted. */
const mostReports = 1000;

/** Opens the tools of a definition of `agents/mcp/`. Sends no request. */
export function openTools(definition: unknown, context: ToolsContext): DefinedTools {
  // The registry lists the definitions of this kind, and the compiler has checked them.
  return new ServerTools(definition as AnyMcpServerDefinition, context);
}

/** A server, and how requests are sent to it. */
interface ResolvedServer {
  server: Server;
  /** The key of the server's list in memory. */
  key: string;
  context: ToolsContext;
  /** Undefined for a server without OAuth. */
  oauth: AuthorizedRequests | undefined;
}

class ServerTools implements DefinedTools {
  readonly #definition: AnyMcpServerDefinition;
  readonly #context: ToolsContext;
  readonly #times: CallTimes;
  readonly #session: ReopenedSession;
  /** The server with its address and headers. Undefined before the first request. */
  #resolved: Promise<ResolvedServer> | undefined;
  readonly #sampler: Sampler | undefined;
  readonly #elicitor: Elicitor | undefined;
  #facts: SourceFacts = { host: null, version: null };

  constructor(definition: AnyMcpServerDefinition, context: ToolsContext) {
    this.#definition = definition;
    this.#context = context;
    this.#times = callTimes(definition);
    this.#sampler = definition.sampling === undefined ? undefined : new Sampler(definition.sampling, context);
    const { name, elicitation = false } = definition;
    const { clock } = context;
    this.#elicitor = elicitation ? new Elicitor({ name, ...this.#times, clock }) : undefined;
    this.#session = new ReopenedSession({ name, clock, open: (onEnd) => this.#open(onEnd) });
  }

  async tools(): Promise<readonly DefinedTool[]> {
    try {
      const { key, oauth } = await this.#server();
      // A list in memory is not offered without a token, because the server would refuse every call.
      await oauth?.ready();
      if (oauth !== undefined) this.#facts = { ...this.#facts, authorization: "authorized" };
      const kept = this.#context.isFresh === true ? undefined : keptList(key, this.#context.clock.now());
      const listed = kept ?? (await this.#list(key));
      return listed.map((tool) => this.#tool(tool));
    } catch (thrown) {
      if (isAuthorizationRequired(thrown)) this.#facts = { ...this.#facts, authorization: "required" };
      throw serverError(this.#definition.name, thrown);
    }
  }

  facts(): SourceFacts {
    return this.#facts;
  }

  close(): Promise<void> {
    return this.#session.close();
  }

  async #list(key: string): Promise<readonly ListedTool[]> {
    const { name, prefix = name, tools: allowed } = this.#definition;
    const { listed, capabilities } = await this.#session.run(async (session) => {
      this.#facts = { ...this.#facts, version: session.version };
      return { listed: await session.tools(this.#context.signal), capabilities: session.capabilities };
    }, true);
    const features = featureTools(this.#definition, capabilities);
    const { items, problem } = listed;
    const { list, omitted } = await readTools(items, { prefix, allowed, features, problem });
    this.#facts = { ...this.#facts, omitted: omitted.kept };
    if (omitted.count > 0) {
      const first = omitted.kept.slice(0, mostLogged);
      const problems = first.map((tool) => `${tool.name}: ${tool.problem}`);
      const names = first.map((tool) => tool.name);
      this.#context.log("warning", "mcp_tools_omitted", { server: name, count: omitted.count, tools: names, problems });
    }
    keepList(key, list, this.#context.clock.now());
    return list.tools;
  }

  #tool(listed: ListedTool): DefinedTool {
    const { name, description, parameters, serverName } = listed;
    const approval = this.#approval(serverName);
    return {
      name,
      description,
      parameters,
      idempotent: this.#isRepeatable(listed),
      // The hint of a server that is not trusted decides nothing else. A person who approved a call or answered its question is not asked
      // again.
      repeatable: listed.isReading && approval === undefined && this.#definition.elicitation !== true,
      timeoutMs: listed.feature === undefined ? this.#times.callMs : this.#times.timeoutMs,
      ...(approval === undefined ? {} : { needsApproval: approval }),
      call: (args, call) => this.#call(listed, args, call),
    };
  }

  #approval(tool: string): DefinedTool["needsApproval"] {
    const { needsApproval: rule = false } = this.#definition;
    if (typeof rule === "function") return (args) => rule({ tool, args }, mcpContext(this.#context));
    const isNeeded = typeof rule === "boolean" ? rule : rule.includes(tool);
    return isNeeded ? () => true : undefined;
  }

  #isRepeatable({ repeatable }: ListedTool): boolean {
    const { trustAnnotations = false, elicitation = false } = this.#definition;
    return trustAnnotations && !elicitation && repeatable;
  }

  async #call(listed: ListedTool, args: JsonObject, call: DefinedCall): Promise<ToolAnswer> {
    const isRepeatable = this.#isRepeatable(listed);
    const send = (signal: AbortSignal) => {
      const request = (session: ServerSession) => this.#send(session, listed, { args, call: { ...call, signal } });
      return this.#session.run(request, isRepeatable);
    };
    try {
      if (this.#elicitor === undefined || listed.feature !== undefined) return await send(call.signal);
      return await this.#elicitor.during(call, send);
    } catch (thrown) {
      throw serverError(this.#definition.name, thrown);
    }
  }

  async #send(
    session: ServerSession,
    { serverName, resultSchema, isTask, feature }: ListedTool,
    { args, call }: { args: JsonObject; call: DefinedCall },
  ): Promise<ToolAnswer> {
    const { signal } = call;
    if (feature !== undefined) return runFeature(feature, session, { args, signal });
    let reports = 0;
    const onProgress = (report: Progress) => {
      reports += 1;
      if (reports <= mostReports) call.progress(progressData(report));
    };
    const request = () => session.call(serverName, args, { signal, onProgress, isTask });
    const result = await (this.#sampler?.during(call, request) ?? request());
    session.logOmitted(`the result of ${serverName}`, result.omitted);
    const problem = this.#resultProblem(resultSchema, result.structuredContent);
    if (problem === null || !hasReadablePart(result)) return callResult(result, problem);
    // The call ran, so what the model can read of its result stays.
    const omitted = new OmittedItems();
    omitted.add("structuredContent", problem);
    session.logOmitted(`the result of ${serverName}`, omitted);
    if (result.structuredContent !== undefined) result.omitted.add("structuredContent", problem);
    return callResult({ ...result, structuredContent: undefined }, null);
  }

  /** The reason why a structured result does not match the schema; null if it matches, or if the schema cannot be used. */
  #resultProblem(schema: JsonObject | null, content: unknown): string | null {
    if (schema === null) return null;
    if (content === undefined) return "It has no structured content.";
    const check = this.#context.readSchema(schema);
    return typeof check === "function" ? check(content as Json) : null;
  }

  #open(onEnd: () => void): Promise<ServerSession> {
    const sampler = this.#sampler;
    const elicitor = this.#elicitor;
    return this.#server().then(({ server, key, context }) =>
      ServerSession.open(server, context, {
        ...(sampler === undefined ? {} : { onSample: (params) => sampler.answer(params) }),
        ...(elicitor === undefined ? {} : { onQuestion: (params, signal) => elicitor.answer(params, signal) }),
        onToolsChanged: () => dropList(key),
        onEnd,
      }),
    );
  }

  #server(): Promise<ResolvedServer> {
    return (this.#resolved ??= this.#resolve());
  }

  async #resolve(): Promise<ResolvedServer> {
    const [definition, context] = [this.#definition, this.#context];
    const address = serverAddress(definition, context);
    this.#facts = { host: address.host, version: null };
    const resolved = await resolveServer(definition, context, { url: address, ...this.#times });
    const { oauth: options = false } = definition;
    if (options === false) return { ...resolved, context, oauth: undefined };
    const { authorizedRequests } = await import("./oauth/authorized-requests.ts");
    const oauth = await authorizedRequests(definition, context, address);
    return { ...resolved, context: { ...context, fetch: oauth.fetch }, oauth };
  }
}

/** A server's progress as data of an event. */
function progressData({ progress, total, message }: Progress): JsonObject {
  return {
    progress,
    ...(total === undefined ? {} : { total }),
    ...(message === undefined ? {} : { message: outsideText(message, 1000) }),
  };
}
