// The ids of agents, sessions and loops (REQ-187 to 190).

import { v4 } from "uuid";

import type { ThinkingLevel } from "./provider/stream-provider.ts";

/** Creates an id of an agent, a session or a loop: a UUID of version 4. */
export function newId(): string {
  return v4();
}

/** The middle segment of a loop's id. */
export function configSegment({
  configId,
  providerId,
  model,
  thinkingLevel = "Off",
}: {
  configId?: string | undefined;
  providerId: string;
  model: string;
  thinkingLevel?: ThinkingLevel | undefined;
}): string {
  if (configId !== undefined) return configId;
  const thinking = thinkingLevel === "Off" ? "" : `.${thinkingLevel.toLowerCase()}`;
  return `${providerId}.${model.replaceAll(/[^A-Za-z0-9-]/g, "-")}${thinking}`;
}

/** The index of a loop in its session and segment, from 0; 0 for an id without a number at its end. */
export function loopIndexOf(loopId: string): number {
  const number = /\.([0-9]+)$/.exec(loopId)?.[1];
  return number === undefined ? 0 : Math.max(0, Number(number) - 1);
}
