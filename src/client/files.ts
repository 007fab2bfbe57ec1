// The files of a thread: folders, records, bytes up and down, search. Paths are those of the thread, with or without a leading
// slash.

import { jsonOf } from "./request.ts";
import type { RequestOptions, Requests } from "./request.ts";
import type { RouteAnswer } from "./route-type.ts";
import type { RequestBody } from "./settings.ts";
import { counted, pageUpload, sendable } from "./upload.ts";
import type { ProgressListener } from "./upload.ts";

const path = "/api/threads/:id/files/*path?";

/** A file or a folder; sizes are bytes, times microseconds since epoch. */
export type FileRecord = RouteAnswer<`PUT ${typeof path}`>;

/** A file as it was just written. */
export type WrittenFile = FileRecord & {
  /** The tag of what was written, for a condition of the next write; null where something on the way took it. */
  etag: string | null;
};

/** Which bytes are read. */
export type DownloadOptions = RequestOptions & {
  /** `bytes=0-99`. */
  range?: string | undefined;
  /** The tag of the one version that is wanted, so that parts are of one file; another is a `conflict`. */
  ifMatch?: string | undefined;
};

type Search = RouteAnswer<"GET /api/threads/:id/files-search">;

/** Lines that matched, by file. `truncated`: a bound ended the search and more may match. */
export type GrepAnswer = Extract<Search, { results: unknown }>;

/** Paths that matched. */
export type GlobAnswer = Extract<Search, { paths: unknown }>;

/** A condition: only over what was read, or only where nothing is. One that fails is a `conflict`. */
export interface WriteCondition {
  /** The tag that the file was read with. */
  ifMatch?: string | undefined;
  /** `*`: where nothing is. */
  ifNoneMatch?: string | undefined;
}

/** How a file is uploaded. */
export type UploadOptions = RequestOptions &
  WriteCondition & {
    /** The file's media type; by its name's extension where it is not given. */
    type?: string | undefined;
    onProgress?: ProgressListener | undefined;
  };

/** Where and how far to search. */
export type SearchOptions = RequestOptions & { path?: string | undefined; limit?: number | undefined };

/** The files. */
export interface Files {
  /** What a folder holds, by name; the root's by default. */
  list(path?: string, options?: RequestOptions): Promise<FileRecord[]>;
  stat(path: string, options?: RequestOptions): Promise<FileRecord>;
  /** The answer with the file's bytes, as a stream, as text, as a blob; its `ETag` is the tag of what was read. */
  download(path: string, options?: DownloadOptions): Promise<Response>;
  /** A WebP of at most 256 pixels; `file_not_found` where there is none. */
  thumbnail(path: string, options?: RequestOptions): Promise<Blob>;
  /** Writes the file as a whole: nobody sees half of it. A stream is sent once, other bodies again after a cut. */
  upload(path: string, body: RequestBody, options?: UploadOptions): Promise<WrittenFile>;
  mkdir(path: string, options?: RequestOptions): Promise<FileRecord>;
  /** A file or an empty folder. */
  delete(path: string, options?: RequestOptions & Pick<WriteCondition, "ifMatch">): Promise<void>;
  /** A regular expression, line by line. */
  grep(pattern: string, options?: SearchOptions): Promise<GrepAnswer>;
  glob(pattern: string, options?: SearchOptions): Promise<GlobAnswer>;
  stats(options?: RequestOptions): Promise<RouteAnswer<"GET /api/threads/:id/files-stats">>;
}

/** The files of a thread. */
export function files(requests: Requests, id: string): Files {
  const at = (file: string): { id: string; path: string } => ({ id, path: file });
  return {
    async list(folder = "", options) {
      const request = { ...options, params: at(`${folder.replace(/\/+$/, "")}/`) };
      const { entries } = (await requests.json(`GET ${path}`, request)) as { entries: FileRecord[] };
      return entries;
    },
    async stat(file, options) {
      const answer = await requests.json(`GET ${path}`, { ...options, params: at(file), query: { stat: true } });
      return answer as FileRecord;
    },
    download(file, { range, ifMatch, signal } = {}) {
      // On a condition no browser answers from its cache, which else puts parts of what it once had in the place of what is there.
      const headers = conditionHeaders({ ifMatch: ifMatch ?? (range === undefined ? undefined : "*") });
      if (range !== undefined) headers["range"] = range;
      return requests.send(`GET ${path}`, { params: at(file), signal, headers });
    },
    async thumbnail(file, options) {
      const answer = await requests.send(`GET ${path}`, { ...options, params: at(file), query: { thumbnail: true } });
      return answer.blob();
    },
    async upload(file, given, { type, onProgress, ifMatch, ifNoneMatch, signal } = {}) {
      const body = await sendable(given);
      const isStream = body instanceof ReadableStream;
      const headers = conditionHeaders({ ifMatch, ifNoneMatch });
      const media = type ?? (body instanceof Blob && body.type !== "" ? body.type : undefined);
      // A string would otherwise be sent as text/plain, whatever the file's name says.
      if (media !== undefined) headers["content-type"] = media;
      const inPage = onProgress === undefined || isStream ? null : pageUpload(onProgress);
      const bare = typeof body === "string" ? new TextEncoder().encode(body) : body;
      const answer = await requests.send(`PUT ${path}`, {
        params: at(file),
        headers,
        raw: () => (onProgress === undefined || inPage !== null ? bare : counted(bare, onProgress)),
        repeatable: !isStream,
        timeoutMs: null,
        signal,
        fetch: inPage ?? undefined,
      });
      return { ...(await jsonOf<`PUT ${typeof path}`>(answer, signal)), etag: answer.headers.get("etag") };
    },
    mkdir: (folder, options) =>
      requests.json(`PUT ${path}`, { ...options, params: at(folder), query: { mkdir: true } }),
    delete: (file, { ifMatch, signal } = {}) =>
      requests.json(`DELETE ${path}`, { params: at(file), headers: conditionHeaders({ ifMatch }), signal }),
    async grep(pattern, { path: below, limit, signal } = {}) {
      const request = { params: { id }, query: { grep: pattern, path: below, limit }, signal };
      return (await requests.json("GET /api/threads/:id/files-search", request)) as GrepAnswer;
    },
    async glob(pattern, { path: below, limit, signal } = {}) {
      const request = { params: { id }, query: { glob: pattern, path: below, limit }, signal };
      return (await requests.json("GET /api/threads/:id/files-search", request)) as GlobAnswer;
    },
    stats: (options) => requests.json("GET /api/threads/:id/files-stats", { ...options, params: { id } }),
  };
}

function conditionHeaders({ ifMatch, ifNoneMatch }: WriteCondition): Record<string, string> {
  return {
    ...(ifMatch === undefined ? {} : { "if-match": ifMatch }),
    ...(ifNoneMatch === undefined ? {} : { "if-none-match": ifNoneMatch }),
  };
}
