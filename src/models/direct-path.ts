// The interface of the direct path (`direct-deltas.ts`), on which plain deltas of an answer reach the conversion without the provider's
// package. Only types, so that a process without a direct path contains nothing of it.

import type { LanguageModelV3StreamPart } from "@ai-sdk/provider";

import type { ChunkCounts } from "#core/ports/model-port.ts";

import type { BodyPieces } from "./observed-fetch.ts";
import type { ChunkFacts } from "./provider/provider-profile.ts";
import type { StreamRepair } from "./stream-repair.ts";

/** A chunk whose facts are known, so that they are not read from it again. */
export type DirectRaw = Extract<LanguageModelV3StreamPart, { type: "raw" }> & { facts?: ChunkFacts };

/** Reads the parts of an answer. */
export interface PartReading {
  /** The next parts; null at the end. Throws the signal's reason after an abort. */
  read: () => Promise<readonly LanguageModelV3StreamPart[] | null>;
  /** Ends the reading. Has to be called once, also at the end of the stream. */
  close: () => void;
}

/** The direct path of one model request. */
export interface DirectPath {
  /** Adds the path to the repair of a response. Only the first response of a request has a direct path. */
  after: (repair: StreamRepair) => StreamRepair;
  /** Reads a body no faster than its direct deltas are taken. */
  paced: (pieces: BodyPieces) => BodyPieces;
  /** Reads the parts of the package's stream and the direct deltas, in the order in which their events arrived. */
  reading: (stream: ReadableStream<LanguageModelV3StreamPart>, signal: AbortSignal) => PartReading;
  /** The chunks so far. */
  readonly chunks: ChunkCounts;
}
