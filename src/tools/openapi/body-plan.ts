// The body of an operation: its content type, and how the argument becomes bytes.

import { isJsonObject, type Json, type JsonObject } from "#contract/json.ts";

import { entriesOf, follow, listOf, objectAt, textOf } from "./api-document.ts";

/** How a property of a form is written. */
export interface PropertyEncoding {
  contentType: string | undefined;
  style: string | undefined;
  explode: boolean;
}

/** The body of an operation's requests. */
export interface BodyPlan {
  /** The name of the argument. */
  key: string;
  contentType: string;
  kind: "json" | "form" | "multipart" | "text" | "file";
  /** The properties of a form whose arguments are paths of files. */
  files: readonly string[];
  encoding: Readonly<Record<string, PropertyEncoding>>;
}

/** A body, as the arguments' schema needs it. */
export interface FoundBody {
  plan: BodyPlan;
  schema: Json | undefined;
  description: string | undefined;
  isRequired: boolean;
  /** Describes the files of the thread in the schema that was read. */
  adapt: (schema: JsonObject) => JsonObject;
}

/** The kinds of content types, in the order of preference if an operation accepts several. */
const kinds: [type: RegExp, kind: BodyPlan["kind"]][] = [
  [/^application\/json\b/, "json"],
  [/^application\/merge-patch\+json\b/, "json"],
  [/[/+]json\b/, "json"],
  [/^\*\/\*/, "json"],
  [/^application\/x-www-form-urlencoded\b/, "form"],
  [/^multipart\/form-data\b/, "multipart"],
  [/^text\/|[/+](?:xml|yaml|x-yaml)\b/, "text"],
  [/^/, "file"],
];

/** The body of an operation; null if it has none. `isTaken` returns whether an argument has this name. */
export function bodyOf(
  document: JsonObject,
  operation: JsonObject,
  isTaken: (key: string) => boolean,
): FoundBody | null {
  const source = objectAt(document, operation["requestBody"]);
  const content = entriesOf(source?.["content"]).map(([type, media]) => ({ type: type.trim().toLowerCase(), media }));
  for (const [pattern, kind] of kinds) {
    const found = content.find(({ type }) => pattern.test(type));
    if (source === null || found === undefined) continue;
    const media = objectAt(document, found.media) ?? {};
    const schema = kind === "text" ? { type: "string" } : kind === "file" ? filePath : media["schema"];
    const files = kind === "multipart" ? filesOf(document, media) : [];
    return {
      plan: {
        // REQ-153: the names of the argument.
        key: ["body", "_request_body"].find((key) => !isTaken(key)) ?? "_request_body_",
        contentType: found.type.startsWith("*") ? "application/json" : found.type,
        kind,
        files,
        encoding: encodingOf(media),
      },
      schema,
      description: textOf(source["description"]),
      isRequired: source["required"] === true,
      adapt: (read) => withFiles(read, files),
    };
  }
  return null;
}

const fileText = "The path of a file of the thread.";
const filePath: JsonObject = { type: "string", description: fileText };

/** The maximum depth and number of the parts of a form's schema that are read. */
const mostDepth = 3;
const mostParts = 10;
const mostProperties = 200;

/** The properties of a form that are files: binary texts, and properties with the content type of a file. */
function filesOf(document: JsonObject, media: JsonObject): string[] {
  const encoding = encodingOf(media);
  // Since version 3.1 a schema without keywords describes bytes.
  const isAnyBinary = textOf(document["openapi"])?.startsWith("3.0") !== true;
  const isFile = (name: string, given: Json, depth: number): boolean => {
    const schema = objectAt(document, given);
    if (schema === null || depth > mostDepth) return false;
    const { type, items, anyOf, oneOf } = schema;
    if (type === "array") return items !== undefined && isFile(name, items, depth + 1);
    const choices = [...listOf(anyOf), ...listOf(oneOf)].slice(0, mostParts);
    if (choices.length > 0) return choices.some((each) => isFile(name, each, depth + 1));
    const mediaType = encoding[name]?.contentType ?? textOf(schema["contentMediaType"]);
    const isBinary = schema["format"] === "binary" || (mediaType !== undefined && !isTextual(mediaType));
    return isBinary || (isAnyBinary && Object.keys(schema).length === 0);
  };
  const properties = propertiesOf(document, media["schema"], 0).slice(0, mostProperties);
  return properties.flatMap(([name, property]) => (isFile(name, property, 0) ? [name] : []));
}

function propertiesOf(document: JsonObject, given: Json | undefined, depth: number): [string, Json][] {
  const schema = follow(document, given)?.value;
  if (schema === undefined || depth > mostDepth) return [];
  const inner = listOf(schema["allOf"])
    .slice(0, mostParts)
    .flatMap((each) => propertiesOf(document, each, depth + 1));
  return [...entriesOf(schema["properties"]), ...inner];
}

function isTextual(type: string): boolean {
  return /^text\/(?:plain|html)\b|[/+]json\b|^application\/x-www-form-urlencoded\b/i.test(type);
}

function encodingOf(media: JsonObject): Record<string, PropertyEncoding> {
  return Object.fromEntries(
    entriesOf(media["encoding"]).map(([name, given]) => {
      const { contentType, style, explode } = isJsonObject(given) ? given : {};
      return [
        name,
        {
          contentType: textOf(contentType),
          style: textOf(style),
          explode:
            typeof explode === "boolean" ? explode : style === undefined || style === "form" || style === "deepObject",
        },
      ];
    }),
  );
}

/** The schema of a form whose files are paths. */
function withFiles(schema: JsonObject, files: readonly string[]): JsonObject {
  if (files.length === 0) return schema;
  const { properties, allOf } = schema;
  const described = (name: string, property: Json): Json =>
    files.includes(name) && isJsonObject(property) ? fileSchema(property) : property;
  return {
    ...schema,
    ...(Array.isArray(allOf)
      ? { allOf: allOf.map((each) => (isJsonObject(each) ? withFiles(each, files) : each)) }
      : {}),
    ...(isJsonObject(properties)
      ? {
          properties: Object.fromEntries(
            Object.entries(properties).map(([name, property]) => [name, described(name, property)]),
          ),
        }
      : {}),
  };
}

/** The schema of one path, of several, or of either. */
function fileSchema({ type, description, anyOf }: JsonObject): JsonObject {
  const several: JsonObject = { type: "array", items: filePath };
  const own: JsonObject = description === undefined ? {} : { description };
  if (type === "array") return { ...several, ...own };
  if (anyOf !== undefined) return { anyOf: [filePath, several], ...own };
  return { type: "string", description: [textOf(description) ?? "", fileText].join(" ").trim() };
}
