// The messages of a conversation that are sent with less content than is stored.

import { createContext } from "react";

/** Ids of the shortened messages. */
export const ShortenedMessages = createContext<ReadonlySet<string>>(new Set());
