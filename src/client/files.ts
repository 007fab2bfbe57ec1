// The files of a thread: list folders, read metadata, download, upload, move, delete and search. The slash at the beginning of a path is
// optional.

import type { RouteAnswer } from "./route-type.ts";
import { jsonOf } from "./send-request.ts";
import type { RequestOptions, Requests } from "./send-request.ts";
import type { RequestBody } from "./settings.ts";
import { uploadOf } from "./upload.ts";
import type { ProgressListener } from "./upload.ts";

const path = "/api/threads/:id/files/*path?";

/** A file or a folder. Sizes are bytes, times are microseconds since the epoch. */
export type FileRecord = RouteAnswer<`PUT ${typeof path}`>;

/** The record of a file that was just written. */
export type WrittenFile = FileRecord & {
  /** The ETag of the written version, for `ifMatch` of the next write; null if a proxy removed the header. */
  etag: string | null;
};

/** The byte range and the version to download. */
export type DownloadOptions = RequestOptions & {
  /** A byte range such as `bytes=0-99`. */
  range?: string | undefined;
  /**
   * Downloads only this version, so that several ranges belong to one version. If the file has another version, the download is refused
   * with `conflict`.
   */
  ifMatch?: string | undefined;
};

type Search = RouteAnswer<"GET /api/threads/:id/files-search">;

/** Matching lines by file. `truncated`: a limit ended the search, so there may be more matches. */
export type GrepAnswer = Extract<Search, { results: unknown }>;

/** Matching paths. */
export type GlobAnswer = Extract<Search, { paths: unknown }>;

/** A condition of a write. A write whose condition does not hold is refused with `conflict`. */
export interface WriteCondition {
  /** Write only if the file still has this ETag. */
  ifMatch?: string | undefined;
  /** `*`: write only if no file exists at the path. */
  ifNoneMatch?: string | undefined;
}

/** Options of an upload. */
export type UploadOptions = RequestOptions &
  WriteCondition & {
    /** The file's media type. By default a Blob's own type, else the type of the file name's extension. */
    type?: string | undefined;
    onProgress?: ProgressListener | undefined;
  };

/** The folder to search and the maximal number of results. */
export type SearchOptions = RequestOptions & { path?: string | undefined; limit?: number | undefined };

/** Operations on the files of a thread. */
export interface Files {
  /** The entries of a folder, sorted by name. Default: the root. */
  list(path?: string, options?: RequestOptions): Promise<FileRecord[]>;
  stat(path: string, options?: RequestOptions): Promise<FileRecord>;
  /** The response with the file's bytes, to read as a stream, text or Blob. Its `ETag` header names the version. */
  download(path: string, options?: DownloadOptions): Promise<Response>;
  /** A WebP image of at most 256 by 256 pixels. Throws `file_not_found` if the file has none. */
  thumbnail(path: string, options?: RequestOptions): Promise<Blob>;
  /** Replaces the whole file atomically. After a network failure the body is sent again, except a stream outside of a web page. */
  upload(path: string, body: RequestBody, options?: UploadOptions): Promise<WrittenFile>;
  mkdir(path: string, options?: RequestOptions): Promise<FileRecord>;
  /** Deletes a file or an empty folder. */
  delete(path: string, options?: RequestOptions & Pick<WriteCondition, "ifMatch">): Promise<void>;
  /** Moves a file, or a folder with everything in it. Throws `conflict` if an entry exists at the new path. */
  move(from: string, to: string, options?: RequestOptions): Promise<FileRecord>;
  /** Searches lines by a regular expression. */
  grep(pattern: string, options?: SearchOptions): Promise<GrepAnswer>;
  glob(pattern: string, options?: SearchOptions): Promise<GlobAnswer>;
  stats(options?: RequestOptions): Promise<RouteAnswer<"GET /api/threads/:id/files-stats">>;
}

/** Builds the operations on the files of the thread `id`. */
export function files(requests: Requests, id: string): Files {
  const fileParams = (file: string): { id: string; path: string } => ({ id, path: file });
  const search = (
    query: { grep: string } | { glob: string },
    { path: below, limit, signal }: SearchOptions = {},
  ): Promise<GrepAnswer | GlobAnswer> =>
    requests.json("GET /api/threads/:id/files-search", {
      params: { id },
      query: { ...query, path: below, limit },
      signal,
    });
  return {
    async list(folder = "", options) {
      const request = { ...options, params: fileParams(`${folder.replace(/\/+$/, "")}/`) };
      const { entries } = (await requests.json(`GET ${path}`, request)) as { entries: FileRecord[] };
      return entries;
    },
    async stat(file, options) {
      const answer = await requests.json(`GET ${path}`, {
        ...options,
        params: fileParams(file),
        query: { stat: true },
      });
      return answer as FileRecord;
    },
    download(file, { range, ifMatch, signal } = {}) {
      // A range is always sent with a condition. Otherwise a browser may combine it with parts of an older version in its cache.
      const headers = { "if-match": ifMatch ?? (range === undefined ? undefined : "*"), range };
      return requests.send(`GET ${path}`, { params: fileParams(file), signal, headers });
    },
    async thumbnail(file, options) {
      const answer = await requests.send(`GET ${path}`, {
        ...options,
        params: fileParams(file),
        query: { thumbnail: true },
      });
      return answer.blob();
    },
    async upload(file, content, { type, onProgress, ifMatch, ifNoneMatch, signal } = {}) {
      const mediaType = type ?? (content instanceof Blob && content.type !== "" ? content.type : undefined);
      // A string is sent as bytes. For a string body fetch would add the header text/plain, whatever the file's extension is.
      const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content;
      const answer = await requests.send(`PUT ${path}`, {
        params: fileParams(file),
        headers: { "if-match": ifMatch, "if-none-match": ifNoneMatch, "content-type": mediaType },
        ...(await uploadOf(bytes, onProgress)),
        signal,
      });
      return { ...(await jsonOf<`PUT ${typeof path}`>(answer, signal)), etag: answer.headers.get("etag") };
    },
    mkdir: (folder, options) =>
      requests.json(`PUT ${path}`, { ...options, params: fileParams(folder), query: { mkdir: true } }),
    delete: (file, { ifMatch, signal } = {}) =>
      requests.json(`DELETE ${path}`, { params: fileParams(file), headers: { "if-match": ifMatch }, signal }),
    move: (from, to, options) =>
      requests.json("POST /api/threads/:id/files-move", { ...options, params: { id }, body: { from, to } }),
    grep: (pattern, options) => search({ grep: pattern }, options) as Promise<GrepAnswer>,
    glob: (pattern, options) => search({ glob: pattern }, options) as Promise<GlobAnswer>,
    stats: (options) => requests.json("GET /api/threads/:id/files-stats", { ...options, params: { id } }),
  };
}
