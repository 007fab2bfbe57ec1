// The heap of the measured Worker, by the inspector of the runtime. Each reading has a connection of its own, because an open inspector slows
// the Worker.

import { WebSocket } from "ws";

/** The id of the measured Worker among the inspector's targets; the others are parts of the local server. */
const ownTarget = "core:user:";

/**
 * Returns a function that reads the MiB of the heap. The inspector cannot start a garbage collection, so the heap contains garbage: the lowest
 * of many readings is near what is kept.
 * @param {URL} inspector the address of the runtime's inspector
 * @returns {() => Promise<number>}
 */
export function heapReader(inspector) {
  return async () => {
    const socket = new WebSocket(new URL(`/${ownTarget}`, inspector));
    try {
      return await new Promise((resolve, reject) => {
        socket.once("error", reject);
        socket.once("close", () => reject(new Error("The inspector closed the connection.")));
        socket.once("open", () => socket.send(JSON.stringify({ id: 1, method: "Runtime.getHeapUsage" })));
        socket.once("message", (/** @type {Buffer} */ text) =>
          resolve(JSON.parse(text.toString()).result.usedSize / 1024 / 1024),
        );
      });
    } finally {
      socket.terminate();
    }
  };
}
