// The body of a request: the argument in the content type of the operation. Files are files of the thread.

import { isJsonObject, type Json } from "#contract/json.ts";
import type { ToolsContext } from "#core/ports/tool-source-port.ts";

import { ApiError } from "./api-error.ts";
import type { BodyPlan, PropertyEncoding } from "./body-plan.ts";
import { encoded, plainText, queryPairs } from "./parameter-style.ts";

/** A body with its content type. The content type is absent for `multipart/form-data`, because the platform writes the boundary. */
export interface RequestBody {
  body: string | Uint8Array<ArrayBuffer> | FormData;
  contentType?: string;
}

/** Writes the body. Throws an `ApiError` that names the file that the thread does not have. */
export async function requestBody(plan: BodyPlan, value: Json, files: ToolsContext["files"]): Promise<RequestBody> {
  const { contentType } = plan;
  switch (plan.kind) {
    case "json":
      return { body: JSON.stringify(value), contentType };
    case "form":
      return { body: formText(plan, value), contentType };
    case "multipart":
      return { body: await formData(plan, value, files) };
    case "text":
      return { body: plainText(value), contentType };
    case "file": {
      const { bytes, mimeType } = await fileOf(value, files);
      return { body: bytes, contentType: contentType.includes("*") ? mimeType : contentType };
    }
  }
}

function formText({ encoding }: BodyPlan, value: Json): string {
  const pairs = Object.entries(isJsonObject(value) ? value : {}).flatMap(([name, inner]) => {
    if (inner === null) return [];
    const own = encoding[name];
    if (own?.style === undefined && isJsonObject(inner))
      return [{ text: `${encoded(name)}=${encoded(JSON.stringify(inner))}` }];
    return queryPairs(name, inner, {
      style: own?.style ?? "form",
      explode: own?.explode ?? true,
      allowReserved: false,
    });
  });
  return pairs.map(({ text }) => text.replaceAll("%20", "+")).join("&");
}

async function formData(plan: BodyPlan, value: Json, files: ToolsContext["files"]): Promise<FormData> {
  const form = new FormData();
  for (const [name, inner] of Object.entries(isJsonObject(value) ? value : {})) {
    if (inner === null) continue;
    for (const each of Array.isArray(inner) ? inner : [inner]) {
      if (!plan.files.includes(name)) {
        appendValue(form, { name, value: each, encoding: plan.encoding[name] });
        continue;
      }
      const { bytes, mimeType, fileName } = await fileOf(each, files);
      form.append(name, new Blob([bytes], { type: mimeType }), fileName);
    }
  }
  return form;
}

function appendValue(
  form: FormData,
  { name, value, encoding }: { name: string; value: Json; encoding: PropertyEncoding | undefined },
): void {
  const type = encoding?.contentType ?? (typeof value === "object" ? "application/json" : undefined);
  if (type === undefined) form.append(name, plainText(value));
  else form.append(name, new Blob([typeof value === "object" ? JSON.stringify(value) : plainText(value)], { type }));
}

/** The maximum number of bytes of a file in a request. */
const mostBytes = 16 * 1024 * 1024;

async function fileOf(
  path: Json,
  files: ToolsContext["files"],
): Promise<{ bytes: Uint8Array<ArrayBuffer>; mimeType: string; fileName: string }> {
  const record = typeof path === "string" ? await files.stat(path) : null;
  const what = JSON.stringify(path).slice(0, 200);
  if (typeof path !== "string" || record === null || record.isDirectory) {
    throw new ApiError(`was not called: the thread has no file at ${what}.`);
  }
  if (record.size > mostBytes)
    throw new ApiError(`was not called: the file at ${what} has more than ${mostBytes} bytes.`);
  const bytes = await files.read(path);
  if (bytes === null) throw new ApiError(`was not called: the thread has no file at ${what}.`);
  return { bytes: new Uint8Array(bytes), mimeType: record.mimeType, fileName: record.name };
}
