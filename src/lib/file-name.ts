// Makes a valid file name from any text: the last part of a path, without characters that file systems refuse, never empty or only
// dots, and short enough for every file system.

const maxLength = 120;

/** The extensions of common types. */
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
  "application/msword": "doc",
  "application/rtf": "rtf",
  "application/vnd.ms-excel": "xls",
  "application/vnd.ms-powerpoint": "ppt",
  "application/vnd.oasis.opendocument.text": "odt",
  "application/vnd.openxmlformats-officedocument.wordprocessingml.document": "docx",
  "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": "xlsx",
  "application/vnd.openxmlformats-officedocument.presentationml.presentation": "pptx",
  "audio/mpeg": "mp3",
  "audio/wav": "wav",
  "video/mp4": "mp4",
};

/** The name; `fallback` if no valid character remains. */
export function fileName(given: string, fallback: string): string {
  const last = given.toWellFormed().split(/[/\\]/).at(-1) ?? "";
  const valid = last.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}<>:"|?*[\]]/gu, "");
  const clean = withoutDots(valid).replace(/\s+/g, " ");
  if (clean === "") return fallback;
  const characters = Array.from(clean);
  if (characters.length <= maxLength) return clean;
  const extension = extensionOf(clean);
  return characters.slice(0, maxLength - extension.length).join("") + extension;
}

/** A name for a file of which only the type is known. */
export function nameOfType(stem: string, mimeType: string): string {
  const extension = extensions[mimeType.split(";")[0]?.trim().toLowerCase() ?? ""];
  return extension === undefined ? stem : `${stem}.${extension}`;
}

/** The name with the extension of another type, if that type has one. */
export function withTypeExtension(name: string, mimeType: string): string {
  const own = extensionOf(name);
  return nameOfType(own === "" ? name : name.slice(0, -own.length), mimeType);
}

/** The extension with its dot; empty if there is none. */
function extensionOf(name: string): string {
  return /.(\.\w{1,10})$/u.exec(name)?.[1] ?? "";
}

/** The text without dots and white space at its beginning and end. */
function withoutDots(text: string): string {
  const isOuter = (at: number) => /[.\s]/.test(text.charAt(at));
  let start = 0;
  let end = text.length;
  while (start < end && isOuter(start)) start += 1;
  while (end > start && isOuter(end - 1)) end -= 1;
  return text.slice(start, end);
}
