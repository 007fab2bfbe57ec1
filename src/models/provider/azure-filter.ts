// The categories that Azure's content filter reports, in chunks of answers and in refusals of prompts.

import { fieldsOf, isObject, listOf, type Fields } from "#lib/json-value.ts";

import { textOf } from "./chunk-field.ts";

/** A category in the form of its report: `violence: high`, `jailbreak: detected`, `profanity: filtered`. */
export function categoriesOf(results: unknown): string[] {
  return Object.entries(fieldsOf(results)).flatMap(([name, value]) => {
    const { filtered, detected, severity } = fieldsOf(value);
    if (filtered !== true) return [];
    return [`${name}: ${textOf(severity) ?? (detected === true ? "detected" : "filtered")}`];
  });
}

/** The categories in the reports of the Responses API, `content_filters`. Older versions of the API send one report as an object. */
export function reportedCategories(reports: unknown): string[] {
  return (isObject(reports) ? [reports] : listOf(reports)).flatMap((report) =>
    categoriesOf(fieldsOf(report)["content_filter_results"]),
  );
}

/** The text about what the filter found; null if it found nothing. */
export function found(categories: readonly string[]): string | null {
  const listed = [...new Set(categories)].join(", ");
  return listed === "" ? null : `Azure's content filter found ${listed}.`;
}

/** The filter's reason in a chunk of Chat Completions; null for a chunk without one. */
export function chatFilterDetail(chunk: Fields): string | null {
  const choice = fieldsOf(listOf(chunk["choices"])[0]);
  return textOf(chunk[refusalField]) ?? found(categoriesOf(choice["content_filter_results"]));
}

/** The filter's reason in an event of the Responses API; null for an event without one. */
export function responsesFilterDetail(event: Fields): string | null {
  const response = fieldsOf(event["response"]);
  return textOf(response[refusalField]) ?? found(reportedCategories(response["content_filters"]));
}

/** The field with the text of a refused prompt, in the events that stand in place of the refusal. */
export const refusalField = "refused_prompt";
