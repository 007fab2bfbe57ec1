// A model: whose it is, what it costs, what it can do, and who answers in its place.

import type { ReactElement } from "react";

import { count } from "../kit/figures.ts";
import { DefinitionLink } from "./definition-link.tsx";
import type { Model } from "./definition.ts";
import { Facts, Part } from "./facts.tsx";

import css from "./definition.module.css";

/** What it is. */
export function ModelFacts({ model }: { model: Model }): ReactElement {
  const { provider, includedProviders, fallbacks, inputPrice, outputPrice, cachedPrice, missing } = model;
  // No request asks for a structured output yet, so that capability is not shown.
  const known = Object.entries(model.capabilities).filter(([name]) => name !== "structuredOutputs");
  const abilities = known.filter(([, can]) => can === true);
  const inabilities = known.filter(([, can]) => can === false);
  return (
    <Part title="Model">
      <Facts
        facts={[
          ["Readiness", missing === null ? "ready" : `waits for ${missing}`],
          ["Provider", <code key="provider">{provider}</code>],
          ["Model", <code key="model">{model.model}</code>],
          ["Through", includedProviders.length === 0 ? null : includedProviders.join(", ")],
          [
            "Falls back to",
            fallbacks.length === 0 ? null : (
              <ol key="fallbacks" className={css["links"]}>
                {fallbacks.map((name) => (
                  <li key={name}>
                    <DefinitionLink kind="model" name={name} />
                  </li>
                ))}
              </ol>
            ),
          ],
          ["Price in", priceOf(inputPrice)],
          ["Price in, cached", cachedPrice === null ? null : priceOf(cachedPrice)],
          ["Price out", priceOf(outputPrice)],
          ["Context", model.context_window === null ? null : `${count(model.context_window)} tokens`],
          ["Longest answer", model.max_tokens === null ? null : `${count(model.max_tokens)} tokens`],
          ["Can", abilities.length === 0 ? null : abilities.map(([name]) => wordsOf(name)).join(", ")],
          ["Cannot", inabilities.length === 0 ? null : inabilities.map(([name]) => wordsOf(name)).join(", ")],
        ]}
      />
    </Part>
  );
}

function priceOf(usd: number | null): string {
  return usd === null ? "not said, so costs are unknown" : `$${usd} for a million tokens`;
}

function wordsOf(name: string): string {
  const known: Readonly<Record<string, string>> = {
    vision: "see images",
    functionCalling: "call tools",
  };
  return known[name] ?? name;
}
