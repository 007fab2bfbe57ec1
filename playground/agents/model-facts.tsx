// The facts of a model on its page: its provider, its prices, its token limits, its capabilities and its fallbacks.

import type { ReactElement } from "react";

import { count, listed } from "../kit/figures.ts";
import { Facts, Part } from "./definition-facts.tsx";
import { DefinitionLink } from "./definition-link.tsx";
import type { Model } from "./definition.ts";

import css from "./definition.module.css";

export function ModelFacts({ model }: { model: Model }): ReactElement {
  const { provider, includedProviders, fallbacks, inputPrice, outputPrice, longPrompt, missing_names: missing } = model;
  const known = Object.entries(model.capabilities);
  const abilities = known.filter(([, can]) => can === true);
  const inabilities = known.filter(([, can]) => can === false);
  return (
    <Part title="Model">
      <Facts
        facts={[
          ["Missing", missing.length === 0 ? null : listed(missing)],
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
          ["Price of cached input", optionalPrice(model.cachedPrice)],
          ["Price of input written to the cache", optionalPrice(model.cacheWritePrice)],
          ["Output price", priceOf(outputPrice)],
          [
            "Prompts with more tokens",
            longPrompt === null
              ? null
              : `above ${count(longPrompt.above)} tokens: input ${dollars(longPrompt.inputPrice ?? inputPrice)}, output ${dollars(longPrompt.outputPrice ?? outputPrice)}`,
          ],
          ["Source of prices", sourceOf(model.prices_source)],
          ["Context window", tokensOf(model.context_window)],
          ["Input limit", tokensOf(model.input_limit)],
          ["Output limit", tokensOf(model.output_limit)],
          ["Source of limits", sourceOf(model.limits_source)],
          ["Requested length", tokensOf(model.max_tokens)],
          ["Can", abilities.length === 0 ? null : abilities.map(([name]) => abilityText(name)).join(", ")],
          ["Cannot", inabilities.length === 0 ? null : inabilities.map(([name]) => abilityText(name)).join(", ")],
          ["Source of abilities", sourceOf(model.capabilities_source)],
        ]}
      />
    </Part>
  );
}

function tokensOf(tokens: number | null): string | null {
  return tokens === null ? null : `${count(tokens)} tokens`;
}

/** A link to the source of facts; null without one. */
export function sourceOf(source: Model["limits_source"]): ReactElement | null {
  if (source === null) return null;
  return (
    <a href={source.url} rel="noreferrer" target="_blank">
      {new URL(source.url).host}, {source.date}
    </a>
  );
}

/** A price of a million tokens. */
export function dollars(usd: number | null): string {
  return usd === null
    ? "unknown"
    : `$${usd.toLocaleString("en-US", { minimumFractionDigits: 2, maximumFractionDigits: 6 })}`;
}

function priceOf(usd: number | null): string {
  return usd === null ? "not known, so costs are unknown" : `${dollars(usd)} per million tokens`;
}

function optionalPrice(usd: number | null): string | null {
  return usd === null ? null : priceOf(usd);
}

/** What a model can do, as a part of a sentence. */
export function abilityText(name: string): string {
  const known: Readonly<Record<string, string>> = {
    vision: "see images",
    functionCalling: "call tools",
    structuredOutputs: "answer by a schema",
    reasoning: "think before it answers",
  };
  return known[name] ?? name;
}
