// The heap of the measured Worker, by the inspector of the runtime. Each reading has a connection of its own, because an open inspector slows
// the Worker.

import { WebSocket } from "ws";

/** The id of the measured Worker among the inspector's targets; the others are parts of the local server. */
const ownTarget = "core:user:";

/**
 * Reads the MiB that a garbage collection leaves in the heap. The runtime refuses the command for a collection, and a heap snapshot begins
 * with one.
 * @param {URL} inspector the address of the runtime's inspector
 * @returns {Promise<number>}
 */
export async function collectedHeap(inspector) {
  const socket = new WebSocket(new URL(`/${ownTarget}`, inspector), { perMessageDeflate: false });
  try {
    return await new Promise((resolve, reject) => {
      socket.once("error", reject);
      socket.once("close", () => reject(new Error("The inspector closed the connection.")));
      socket.once("open", () => {
        socket.send(JSON.stringify({ id: 1, method: "HeapProfiler.takeHeapSnapshot" }));
        socket.send(JSON.stringify({ id: 2, method: "Runtime.getHeapUsage" }));
      });
      socket.on("message", (/** @type {Buffer} */ text) => {
        const { id, result } = JSON.parse(text.toString());
        if (id === 2) resolve(result.usedSize / 1024 / 1024);
      });
    });
  } finally {
    socket.terminate();
  }
}
