// Media types: validates them, derives them from file names, and decides whether a browser may display them in a page of this server.

/** The type of a file whose type is unknown. */
export const unknownMediaType = "application/octet-stream";

const token = "[!#$%&'*+.^_`|~0-9A-Za-z-]+";
// Neighbouring parts of the pattern cannot match the same blanks, so matching takes linear time for any text.
const parameter = `[ \\t]*;[ \\t]*${token}=(?:${token}|"[\\x20\\x21\\x23-\\x5b\\x5d-\\x7e]*")`;
const whole = new RegExp(`^${token}/${token}(?:${parameter})*$`);

/** Whether a text is a media type that a header may contain. */
export function isMediaType(text: string): boolean {
  return text.length <= 255 && whole.test(text);
}

const byExtension: Readonly<Record<string, string>> = {
  aac: "audio/aac",
  avif: "image/avif",
  bmp: "image/bmp",
  bz2: "application/x-bzip2",
  css: "text/css; charset=utf-8",
  csv: "text/csv; charset=utf-8",
  docx: "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
  flac: "audio/flac",
  gif: "image/gif",
  gz: "application/gzip",
  htm: "text/html; charset=utf-8",
  html: "text/html; charset=utf-8",
  ico: "image/x-icon",
  ics: "text/calendar; charset=utf-8",
  jpeg: "image/jpeg",
  jpg: "image/jpeg",
  js: "text/javascript; charset=utf-8",
  json: "application/json",
  jsonl: "application/x-ndjson",
  m4a: "audio/mp4",
  md: "text/markdown; charset=utf-8",
  mjs: "text/javascript; charset=utf-8",
  mov: "video/quicktime",
  mp3: "audio/mpeg",
  mp4: "video/mp4",
  ogg: "audio/ogg",
  otf: "font/otf",
  pdf: "application/pdf",
  png: "image/png",
  pptx: "application/vnd.openxmlformats-officedocument.presentationml.presentation",
  svg: "image/svg+xml",
  tar: "application/x-tar",
  tiff: "image/tiff",
  ts: "text/plain; charset=utf-8",
  tsv: "text/tab-separated-values; charset=utf-8",
  ttf: "font/ttf",
  txt: "text/plain; charset=utf-8",
  wasm: "application/wasm",
  wav: "audio/wav",
  webm: "video/webm",
  webp: "image/webp",
  woff2: "font/woff2",
  xhtml: "application/xhtml+xml",
  xlsx: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
  xml: "application/xml",
  yaml: "application/yaml",
  yml: "application/yaml",
  zip: "application/zip",
};

/** The type for the extension of a file name. */
export function mediaTypeOfName(name: string): string {
  const extension = /\.([A-Za-z0-9]{1,10})$/.exec(name)?.[1]?.toLowerCase() ?? "";
  return Object.hasOwn(byExtension, extension) ? (byExtension[extension] ?? unknownMediaType) : unknownMediaType;
}

const shownFamilies = /^(?:audio|font|image|text|video)\//;
const shownApplications = new Set(["application/json", "application/pdf", unknownMediaType]);
const otherJson = /^application\/[^/]+\+json$/;
const mayRun = /html|xml|svg|xsl|script|component|hta|vbs|manifest/;

/**
 * Whether a browser may display a file of this type, rather than only save it. Fails closed: a type that could run code in a page, and
 * every `application/*` type that is not known to be harmless, is saved.
 */
export function isShownInline(mediaType: string): boolean {
  const essence = (mediaType.split(";")[0] ?? "").trim().toLowerCase();
  if (mayRun.test(essence)) return false;
  return shownFamilies.test(essence) || shownApplications.has(essence) || otherJson.test(essence);
}
