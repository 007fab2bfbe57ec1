// A proxy between a client and a server whose connections a test can cut. It works on plain TCP, so neither side sees a
// reason.

import { connect, createServer } from "node:net";
import type { AddressInfo, Socket } from "node:net";

/** A running proxy. */
export interface CuttingProxy {
  url: string;
  /** The number of connections opened so far. */
  readonly opened: number;
  /** Cuts every open connection. */
  cut: () => void;
  /** Refuses new connections until the returned function is called. */
  block: () => () => void;
  /**
   * Cuts the next connection whose client has sent data that contains `text`, once the server has started to answer.
   */
  cutAnswerTo: (text: string) => Promise<void>;
  close: () => Promise<void>;
}

/** Opens a proxy to a server on this machine. */
export async function openCuttingProxy(target: string): Promise<CuttingProxy> {
  const { hostname, port } = new URL(target);
  const pairs = new Set<() => void>();
  let opened = 0;
  let blocks = 0;
  let trap: { text: string; sprung: () => void } | null = null;
  const server = createServer((client: Socket) => {
    opened += 1;
    if (blocks > 0) {
      client.destroy();
      return;
    }
    const upstream = connect(Number(port), hostname);
    let caught: (() => void) | null = null;
    const end = (): void => {
      client.destroy();
      upstream.destroy();
      pairs.delete(end);
    };
    pairs.add(end);
    client.on("data", (bytes) => {
      if (trap !== null && bytes.includes(trap.text)) {
        caught = trap.sprung;
        trap = null;
      }
      upstream.write(bytes);
    });
    upstream.on("data", (bytes) => {
      if (caught === null) {
        client.write(bytes);
        return;
      }
      end();
      caught();
    });
    for (const socket of [client, upstream]) {
      socket.on("close", end);
      // A cut connection is expected here.
      socket.on("error", end);
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address() as AddressInfo;
  const cut = (): void => {
    for (const end of pairs) end();
  };
  return {
    url: `http://127.0.0.1:${String(address.port)}`,
    get opened() {
      return opened;
    },
    cut,
    block: () => {
      blocks += 1;
      return () => {
        blocks -= 1;
      };
    },
    cutAnswerTo: (text) =>
      new Promise((resolve) => {
        trap = { text, sprung: resolve };
      }),
    close: () => {
      cut();
      return new Promise((resolve) => {
        server.close(() => resolve());
      });
    },
  };
}
