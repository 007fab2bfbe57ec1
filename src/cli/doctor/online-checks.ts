// `threadhold doctor --online`: tries each MCP server, each OpenAPI document and each model once, with the variables of this machine and the
// code that a Worker runs. Contract: each try ends within a time limit, and no key is part of a text.

import type { Project } from "#compiler/project.ts";
import type { ToolsContext } from "#core/ports/tool-source-port.ts";
import { readSchema, checkedArguments } from "#flow/tool-source/defined-tools.ts";
import { readSourceState } from "#flow/tool-source/source-state.ts";
import { createRequestQueue } from "#lib/bounded-fetch.ts";
import { systemClock } from "#lib/system-clock.ts";
import { TimeLimitError, withinTime } from "#lib/time-limit.ts";
import { loadModelPort } from "#models/load-model-port.ts";
import { bindingOf, isScripted, readiness } from "#models/readiness.ts";
import { createRedact } from "#models/redact.ts";
import { fixOf, secretValues, smallRequest } from "#models/trial/model-trial.ts";
import { checkApi } from "#tools/openapi/api-check.ts";
import { outboundFetch } from "#worker/outbound.ts";

import { error, ok, warning, type Finding } from "./finding.ts";

/** Milliseconds after which a try is given up. */
const defaultLimitMs = 30_000;

/** How many requests wait for a response at the same time. */
const maxOpenRequests = 5;

/** What the tries use of the process. */
export interface OnlineContext {
  /** The variables and secrets of this machine. */
  variables: Readonly<Record<string, unknown>>;
  fetch: typeof fetch;
  /** Prints the progress. */
  print: (text: string) => void;
  limitMs?: number;
}

type Models = Project["models"];

/** A try: the finding's name, and the work, which rejects if the try fails. */
interface Try {
  name: string;
  /** What to do if the try fails without a better advice. */
  fix: string;
  run: (signal: AbortSignal) => Promise<Finding>;
}

/** Tries the sources and models of a project. Prints a line at the beginning and one for each end. */
export async function onlineFindings(
  { models, sources }: Pick<Project, "models" | "sources">,
  { variables, fetch, print, limitMs = defaultLimitMs }: OnlineContext,
): Promise<Finding[]> {
  prepareNode();
  const secrets = secretValues(variables);
  const redact = createRedact(secrets);
  // A person's token is needed for these.
  const personal = sources.mcp.filter(({ value }) => (value.oauth ?? false) !== false);
  const mcp = sources.mcp.filter((server) => !personal.includes(server));
  const asked = models.filter(({ value }) => !isScripted(value) && readiness(value, { ...variables }).ready);
  const tries = [
    ...sourceTries({ ...sources, mcp }, { variables, fetch }),
    ...asked.map((model) => modelTry(model, { variables, fetch, secrets })),
  ];
  const bound = models.filter(({ value }) => bindingOf(value) !== null);
  const leftOut = [
    ...personal.map(({ name }) =>
      ok(`MCP server ${name}`, "not tried: it uses OAuth, so only a person who connects has a token"),
    ),
    ...bound.map(({ value }) =>
      ok(`model ${value.name}`, `not tried: only a Worker has the binding ${bindingOf(value) ?? ""} that reaches it`),
    ),
  ];
  if (bound.length > 0) {
    const names = bound.map(({ value }) => value.name).join(", ");
    print(
      `Not tried, because only a Worker has the binding that reaches them: models ${names}. Test them on their pages in the playground.`,
    );
  }
  if (personal.length > 0) {
    const names = personal.map(({ name }) => name).join(", ");
    print(
      `Not tried, because they use OAuth: MCP servers ${names}. Connect to them in a thread, and see their pages in the playground.`,
    );
  }
  if (tries.length === 0) return [...leftOut, ok("online", "There is no source and no model to try.")];
  print(
    `Trying ${counted(tries.length - asked.length, "source")} and ${counted(asked.length, "model")}, each for at most ` +
      `${String(limitMs / 1000)} s. Each model answers one short request, which costs a few tokens.`,
  );
  const found = await Promise.all(
    tries.map(async ({ name, fix, run }) => {
      const begun = performance.now();
      const control = new AbortController();
      const bounds = { timers: systemClock, milliseconds: limitMs };
      const finding = await withinTime(run(control.signal), bounds).catch((thrown: unknown) => {
        if (thrown instanceof TimeLimitError)
          return error(name, `It did not answer within ${String(limitMs / 1000)} s.`, fix);
        return error(name, sentence(thrown instanceof Error ? thrown.message : String(thrown)), fix);
      });
      control.abort();
      print(`${finding.status === "ok" ? "answered" : "failed"}: ${name}, ${seconds(begun)}`);
      return { ...finding, detail: redact(finding.detail) };
    }),
  );
  return [...found, ...leftOut];
}

const counted = (count: number, noun: string): string => `${String(count)} ${noun}${count === 1 ? "" : "s"}`;

const seconds = (begun: number): string => `${((performance.now() - begun) / 1000).toFixed(1)} s`;

const sentence = (text: string): string => text.trim().replace(/\.?$/, ".");

/** The code of a Worker uses a function that Node 20 lacks. */
function prepareNode(): void {
  const parse: typeof URL.parse = (text, base) => (URL.canParse(text, base) ? new URL(text, base) : null);
  if (!("parse" in URL)) Object.assign(URL, { parse });
}

function sourceTries({ mcp, openapi }: Project["sources"], sent: Pick<OnlineContext, "variables" | "fetch">): Try[] {
  const context = { ...sourceContext(sent), isFresh: true };
  return [
    ...mcp.map(({ name, file, value }): Try => {
      const title = `MCP server ${name}`;
      const fix = `check url and headers in ${file}, and that the server runs`;
      const run = async (): Promise<Finding> => {
        const load = () => import("#tools/mcp/index.ts");
        const definition = { name, prefix: value.prefix ?? name, file, load: () => Promise.resolve(value) };
        const state = await readSourceState({ kind: "mcp", load, definitions: [] }, definition, context);
        const { unset_variables: unset, tools, omitted_tools: omitted, host, version } = state;
        const missing = unset.length === 0 ? fix : `set ${unset.join(", ")} in .dev.vars`;
        if (state.error !== null) return error(title, sentence(state.error), missing);
        const about = `${host ?? "The server"} lists ${counted(tools.length, "tool")}${version === null ? "" : ` (${version})`}`;
        if (omitted.length === 0) return ok(title, about);
        const [first] = omitted;
        const problem = `${counted(omitted.length, "tool")} cannot be offered, such as ${first?.name ?? ""}: ${first?.problem ?? ""}`;
        return warning(title, `${about}. ${problem}`, "correct the schemas on the server, or list the other tools");
      };
      return { name: title, fix, run };
    }),
    ...openapi.map(({ name, file, value }): Try => {
      const title = `OpenAPI document ${name}`;
      const fix = `check document, baseUrl and headers in ${file}, and that the API runs`;
      const run = async (signal: AbortSignal): Promise<Finding> => {
        const { operations, address, status } = await checkApi(value, { ...context, signal });
        const about = `${counted(operations, "operation")}; ${address} answers with the status ${String(status)}`;
        if (operations === 0) return warning(title, about, `check operations, tags, methods and pathPrefix in ${file}`);
        return status < 500 ? ok(title, about) : error(title, `${about}.`, fix);
      };
      return { name: title, fix, run };
    }),
  ];
}

/** The context of tools outside of a thread. */
function sourceContext({ variables, fetch }: Pick<OnlineContext, "variables" | "fetch">): ToolsContext {
  const noFile = () => Promise.reject(new Error("No call is executed, so no file is read."));
  const transport = {
    fetch: (url: string, init: RequestInit) => fetch(url, init),
    inTurn: createRequestQueue(maxOpenRequests),
    clock: systemClock,
  };
  return {
    // A finding has the problem.
    fetch: outboundFetch(variables, transport, { log: () => undefined }),
    clock: systemClock,
    env: variables,
    log: () => undefined,
    files: { read: noFile, stat: noFile },
    threadId: "",
    userId: null,
    hash: "",
    readSchema,
    checkArguments: checkedArguments,
  };
}

function modelTry(
  definition: Models[number],
  { variables, fetch, secrets }: Pick<OnlineContext, "variables" | "fetch"> & { secrets: readonly string[] },
): Try {
  const { value } = definition;
  const title = `model ${value.name}`;
  const { provider, model } = value;
  const run = async (signal: AbortSignal): Promise<Finding> => {
    const begun = performance.now();
    const port = loadModelPort({ env: { ...variables }, secrets, fetch });
    for await (const part of port.stream(smallRequest(value, "text"), signal)) {
      if (part.type === "finish") {
        const { input, output } = part.usage;
        return ok(
          title,
          `${provider} ${model} answered in ${seconds(begun)}, ${String(input)} + ${String(output)} tokens`,
        );
      }
      if (part.type !== "error") continue;
      const { failure } = part;
      return error(title, `${provider} ${model}: ${sentence(failure.message)}`, fixOf(definition, failure));
    }
    // The port ends each stream with one of these parts.
    return error(title, `${provider} ${model} sent no answer.`, fixOf(definition));
  };
  return { name: title, fix: fixOf(definition), run };
}
