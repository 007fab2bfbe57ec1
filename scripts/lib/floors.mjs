// The floors of a layer. Its rooms, which are its folders and its loose files, are in one order from the ground up, and a room imports only
// rooms below it. An import of a higher room makes the two rooms one thing that can only be understood together.

import path from "node:path";

/**
 * @typedef {object} Floors
 * @property {string} layer
 * @property {number} most The most pairs of rooms of which the lower one imports the higher one.
 * @property {string[]} rooms From the ground up.
 */

/** @type {Floors[]} */
export const floors = [
  {
    layer: "src/core",
    most: 10,
    rooms: [
      "ports",
      "record",
      "tools",
      "limits",
      "step",
      "schema",
      "files",
      "request",
      "archive",
      "evaluation",
      "context",
      "model",
      "loop.ts",
      "strategy",
      "outbound",
      "rpc",
    ],
  },
  { layer: "src/flow", most: 1, rooms: ["setup", "strategy", "hook", "tool-source", "state", "request", "tool"] },
  {
    layer: "src/thread",
    most: 0,
    rooms: [
      "deployment.ts",
      "thread-ports.ts",
      "bounded-page.ts",
      "background-task.ts",
      "alarm.ts",
      "caller-access.ts",
      "trace",
      "replay",
      "reader",
      "live",
      "files",
      "attachments",
      "owner-feed.ts",
      "owner-authorizations.ts",
      "children",
      "webhook",
      "background",
      "run",
      "method",
      "stream-leases.ts",
      "archive",
      "open-thread.ts",
      "lifetime",
      "thread-object.ts",
    ],
  },
];

/**
 * Checks one layer. Returns a text for each problem, and the upward arrows: pairs of rooms of which the lower one imports the higher one.
 *
 * @param {Floors} floors
 * @param {ReadonlyMap<string, readonly string[]>} imports The files that each file of the sources imports.
 * @returns {{ upward: string[], problems: string[] }}
 */
export function checkFloors({ layer, most, rooms }, imports) {
  const place = "`rooms` in scripts/lib/floors.mjs";
  const roomOf = (file) => (file.startsWith(`${layer}/`) ? file.slice(layer.length + 1).split("/")[0] : undefined);
  /** @type {Map<string, string>} */
  const arrows = new Map();
  const present = new Set();
  for (const [file, targets] of imports) {
    const from = roomOf(file);
    if (from === undefined) continue;
    present.add(from);
    for (const target of targets) {
      const to = roomOf(target);
      if (to === undefined || !rooms.includes(from) || rooms.indexOf(to) <= rooms.indexOf(from)) continue;
      const arrow = `${layer}: ${from} → ${to}`;
      const names = `${path.posix.relative(layer, file)} → ${path.posix.relative(layer, target)}`;
      arrows.set(arrow, arrows.has(arrow) ? `${arrows.get(arrow)}, ${names}` : names);
    }
  }
  const upward = [...arrows].map(([arrow, files]) => `${arrow} (${files})`);
  const problems = [
    ...[...present]
      .filter((room) => !rooms.includes(room))
      .map((room) => `${layer}/${room} has no floor: add it to ${place}`),
    ...rooms.filter((room) => !present.has(room)).map((room) => `${layer}/${room} is gone: remove it from ${place}`),
    ...(upward.length > most ? [`${layer}: ${upward.length} imports go up, of at most ${most}`] : []),
    ...(upward.length < most
      ? [`${layer}: ${upward.length} imports go up: lower \`most\` in scripts/lib/floors.mjs`]
      : []),
  ];
  return { upward, problems };
}
