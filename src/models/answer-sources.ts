// The pages that an answer cites, from the package and from the chunks. Invariant: each address once, in order of arrival, at
// most a hundred.

import type { AnswerSource } from "#core/ports/model-port.ts";

const mostSources = 100;
const longestTitle = 300;
const longestUrl = 2_000;

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

  all(): AnswerSource[] {
    return [...this.#byUrl.values()];
  }
}
