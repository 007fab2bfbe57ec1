// A file name of whatever was given for one: the last part of a path, without what a name cannot hold, never empty, never
// only dots, short enough for any file system.

const longest = 120;

/** Extensions of types that name none themselves. */
const extensions: Readonly<Record<string, string>> = {
  "image/png": "png",
  "image/jpeg": "jpg",
  "image/gif": "gif",
  "image/webp": "webp",
  "image/svg+xml": "svg",
  "application/pdf": "pdf",
  "application/json": "json",
  "text/plain": "txt",
  "text/csv": "csv",
  "text/html": "html",
  "text/markdown": "md",
};

/** The name; `fallback` where nothing is left of it. */
export function fileName(given: string, fallback: string): string {
  const last = given.toWellFormed().split(/[/\\]/).at(-1) ?? "";
  const clean = last
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}<>:"|?*[\]]/gu, "")
    .replace(/^[.\s]+|[.\s]+$/g, "")
    .replace(/\s+/g, " ");
  if (clean === "") return fallback;
  const characters = Array.from(clean);
  if (characters.length <= longest) return clean;
  const extension = extensionOf(clean);
  return characters.slice(0, longest - extension.length).join("") + extension;
}

/** A name for a file of a type that came without one. */
export function nameOfType(stem: string, mimeType: string): string {
  const extension = extensions[mimeType.split(";")[0]?.trim().toLowerCase() ?? ""];
  return extension === undefined ? stem : `${stem}.${extension}`;
}

/** The name with the extension of another type, where that type has one. */
export function withTypeExtension(name: string, mimeType: string): string {
  const own = extensionOf(name);
  return nameOfType(own === "" ? name : name.slice(0, -own.length), mimeType);
}

/** With its dot; empty for none. */
function extensionOf(name: string): string {
  return /.(\.\w{1,10})$/u.exec(name)?.[1] ?? "";
}
