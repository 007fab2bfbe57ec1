// Converts a prompt of the AI SDK to the system prompt and the messages of Converse.
// Source: https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ContentBlock.html.
// Invariants: roles alternate; a message with a document has a text; the names of documents are unique and in the characters that the API
// accepts; no content is left out without a line of text in its place.

import type { JSONObject, LanguageModelV3Message, LanguageModelV3Prompt } from "@ai-sdk/provider";

import { toBase64 } from "#lib/base64.ts";
import { fieldsOf, isObject } from "#lib/json-value.ts";
import { isVisible } from "#lib/visible-text.ts";

import { textOf } from "../provider/chunk-field.ts";
import { audioFormats, videoFormats } from "./media-formats.ts";

/** A message of Converse. */
interface ConverseMessage {
  role: "user" | "assistant";
  content: JSONObject[];
}

/** The part of a request's body that is made of its prompt. */
export interface ConversePrompt {
  system: JSONObject[];
  messages: ConverseMessage[];
}

type Part = Exclude<LanguageModelV3Message["content"], string>[number];
type Result = Extract<Part, { type: "tool-result" }>;
type Data = Extract<Part, { type: "file" }>["data"];

/** The cache mark that the profile of Anthropic sets, whose rule for the positions of marks is the same. */
export function isMarked(options: LanguageModelV3Message["providerOptions"]): boolean {
  return isObject(fieldsOf(options?.["anthropic"])["cacheControl"]);
}

/** The block after which a prompt is cached. */
export const cachePoint: JSONObject = { cachePoint: { type: "default" } };

/** https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_DocumentBlock.html */
const documentFormats: Readonly<Record<string, string>> = {
  "application/pdf": "pdf",
  "application/msword": "doc",
  "application/vnd.openxmlformats-officedocument.wordprocessingml.document": "docx",
  "application/vnd.ms-excel": "xls",
  "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": "xlsx",
};

/** The text next to documents, which the API requires. */
const noteOfDocuments = "(The documents are attached.)";

/** What is sent in place of content without any text. */
const noText = "(no text)";

/** The names of the documents of a request. */
class DocumentNames {
  readonly #used = new Set<string>();

  /** The name in letters, digits, single spaces, hyphens, parentheses and brackets; a name that was used gets a number. */
  next(filename: string | undefined): string {
    const base = (filename ?? "")
      .replace(/\.[a-z0-9]{1,5}$/i, "")
      .replaceAll(/[^a-zA-Z0-9\-()[\]]+/g, " ")
      .slice(0, 180)
      .trim();
    const clean = base === "" ? "document" : base;
    let name = clean;
    for (let number = 2; this.#used.has(name); number += 1) name = `${clean} ${number}`;
    this.#used.add(name);
    return name;
  }
}

/** Converts the messages of one prompt. */
class Conversion {
  readonly #names = new DocumentNames();
  readonly #flagsErrors: boolean;

  constructor(flagsErrors: boolean) {
    this.#flagsErrors = flagsErrors;
  }

  /** The block of a file. An address is one of S3, because the profile accepts no other ones. */
  file(data: Data, mediaType: string, filename: string | undefined): JSONObject {
    const source: JSONObject =
      data instanceof URL
        ? { s3Location: { uri: data.href } }
        : { bytes: typeof data === "string" ? data : toBase64(data) };
    const [video, audio] = [videoFormats[mediaType], audioFormats[mediaType]];
    if (mediaType.startsWith("image/")) return { image: { format: mediaType.slice("image/".length), source } };
    if (video !== undefined) return { video: { format: video, source } };
    if (audio !== undefined) return { audio: { format: audio, source } };
    const format = documentFormats[mediaType] ?? "txt";
    return { document: { format, name: this.#names.next(filename), source } };
  }

  user(part: Part): JSONObject[] {
    switch (part.type) {
      case "text":
        return [{ text: part.text }];
      case "file":
        return [this.file(part.data, part.mediaType, part.filename)];
      case "tool-result":
        return [this.#result(part)];
      default:
        return [];
    }
  }

  #result({ toolCallId, output }: Result): JSONObject {
    const isError = output.type === "error-text" || output.type === "error-json";
    const content = this.#resultContent(output);
    const status = isError && this.#flagsErrors ? { status: "error" } : {};
    return { toolResult: { toolUseId: toolCallId, content, ...status } };
  }

  #resultContent(output: Result["output"]): JSONObject[] {
    switch (output.type) {
      case "text":
      case "error-text":
        return [{ text: isVisible(output.value) ? output.value : noText }];
      case "json":
      case "error-json":
        return [{ text: JSON.stringify(output.value) }];
      case "execution-denied":
        return [{ text: output.reason ?? noText }];
      case "content":
        return output.value.flatMap((part) => {
          if (part.type === "text") return [{ text: part.text }];
          if (part.type === "image-data") return [this.file(part.data, part.mediaType, undefined)];
          return part.type === "file-data" ? [this.file(part.data, part.mediaType, part.filename)] : [];
        });
    }
  }

  assistant(part: Part): JSONObject[] {
    switch (part.type) {
      case "text":
        return [{ text: part.text }];
      case "tool-call":
        return [{ toolUse: { toolUseId: part.toolCallId, name: part.toolName, input: part.input as JSONObject } }];
      case "reasoning": {
        const { signature, redactedContent } = fieldsOf(part.providerOptions?.["bedrock"]);
        const redacted = textOf(redactedContent);
        if (redacted !== null) return [{ reasoningContent: { redactedContent: redacted } }];
        return [{ reasoningContent: { reasoningText: { text: part.text, signature: textOf(signature) ?? "" } } }];
      }
      default:
        return [];
    }
  }
}

function hasText(content: readonly JSONObject[]): boolean {
  return content.some((block) => typeof block["text"] === "string");
}

/** Converts a prompt. `flagsErrors`: the results of tools have a status. */
export function conversePrompt(prompt: LanguageModelV3Prompt, flagsErrors: boolean): ConversePrompt {
  const conversion = new Conversion(flagsErrors);
  const system: JSONObject[] = [];
  const messages: ConverseMessage[] = [];
  for (const message of prompt) {
    const mark = isMarked(message.providerOptions) ? [cachePoint] : [];
    if (message.role === "system") {
      system.push({ text: message.content }, ...mark);
      continue;
    }
    const role = message.role === "assistant" ? "assistant" : "user";
    const content = message.content.flatMap((part) =>
      role === "user" ? conversion.user(part) : conversion.assistant(part),
    );
    const last = messages.at(-1);
    if (last?.role === role) last.content.push(...content, ...mark);
    else messages.push({ role, content: [...content, ...mark] });
  }
  for (const { content } of messages) {
    if (content.some((block) => block["document"] !== undefined) && !hasText(content))
      content.unshift({ text: noteOfDocuments });
  }
  return { system, messages };
}
