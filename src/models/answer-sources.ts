// The pages that an answer cites. The packages report those of their own protocols; citations of other servers that speak Chat
// Completions are read from the chunks (`annotations` of OpenAI's search models, `citations` of Perplexity and xAI).
// Invariant: each address once, in order of arrival, at most a hundred.

import type { AnswerSource } from "#core/ports/model-port.ts";

const mostSources = 100;
const longestTitle = 300;
const longestUrl = 2_000;

type Fields = Record<string, unknown>;

function fields(value: unknown): Fields {
  return typeof value === "object" && value !== null ? (value as Fields) : {};
}

function list(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

/** Gathers the sources of one answer. */
export class AnswerSources {
  readonly #byUrl = new Map<string, AnswerSource>();

  add(url: unknown, title?: unknown): void {
    if (typeof url !== "string" || url.length > longestUrl || !/^https?:\/\//i.test(url) || !URL.canParse(url)) return;
    const known = this.#byUrl.get(url);
    if (known === undefined && this.#byUrl.size >= mostSources) return;
    const named = typeof title === "string" && title !== "" ? { title: title.slice(0, longestTitle) } : {};
    this.#byUrl.set(url, { url, ...known, ...named });
  }

  /** Reads a chunk of Chat Completions. Chunks of other protocols have none of these fields. */
  read(chunk: unknown): void {
    const { choices, citations } = fields(chunk);
    for (const url of list(citations)) this.add(url);
    for (const annotation of list(fields(fields(list(choices)[0])["delta"])["annotations"])) {
      const { url, title } = fields(fields(annotation)["url_citation"]);
      this.add(url, title);
    }
  }

  all(): AnswerSource[] {
    return [...this.#byUrl.values()];
  }
}
