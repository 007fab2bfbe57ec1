// The facts of a model on its page: its provider, its prices, its token limits, its capabilities and its fallbacks.

import type { ReactElement } from "react";

import { count } from "../kit/figures.ts";
import { Facts, Part } from "./definition-facts.tsx";
import { DefinitionLink } from "./definition-link.tsx";
import type { Model } from "./definition.ts";

import css from "./definition.module.css";

export function ModelFacts({ model }: { model: Model }): ReactElement {
  const { provider, includedProviders, fallbacks, inputPrice, outputPrice, cachedPrice, missing } = model;
  const known = Object.entries(model.capabilities);
  const abilities = known.filter(([, can]) => can === true);
  const inabilities = known.filter(([, can]) => can === false);
  return (
    <Part title="Model">
      <Facts
        facts={[
          ["API key", missing === null ? null : `${missing} is not set`],
          ["Provider", <code key="provider">{provider}</code>],
          ["Model", <code key="model">{model.model}</code>],
          ["Providers", includedProviders.length === 0 ? null : includedProviders.join(", ")],
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
          ["Input price", priceOf(inputPrice)],
          ["Cached input price", cachedPrice === null ? null : priceOf(cachedPrice)],
          ["Output price", priceOf(outputPrice)],
          ["Context window", tokensOf(model.context_window)],
          ["Input limit", tokensOf(model.input_limit)],
          ["Output limit", tokensOf(model.output_limit)],
          [
            "Source of limits",
            model.limits_source === null ? null : (
              <a key="source" href={model.limits_source.url} rel="noreferrer" target="_blank">
                {new URL(model.limits_source.url).host}, {model.limits_source.date}
              </a>
            ),
          ],
          ["Requested length", tokensOf(model.max_tokens)],
          ["Can", abilities.length === 0 ? null : abilities.map(([name]) => wordsOf(name)).join(", ")],
          ["Cannot", inabilities.length === 0 ? null : inabilities.map(([name]) => wordsOf(name)).join(", ")],
        ]}
      />
    </Part>
  );
}

function tokensOf(tokens: number | null): string | null {
  return tokens === null ? null : `${count(tokens)} tokens`;
}

function priceOf(usd: number | null): string {
  if (usd === null) return "not set, so costs are unknown";
  return `$${usd.toLocaleString("en-US", { minimumFractionDigits: 2, maximumFractionDigits: 6 })} per million tokens`;
}

function wordsOf(name: string): string {
  const known: Readonly<Record<string, string>> = {
    vision: "see images",
    functionCalling: "call tools",
    structuredOutputs: "answer by a schema",
  };
  return known[name] ?? name;
}
