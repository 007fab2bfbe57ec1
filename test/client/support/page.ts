// A page that React draws into, with frames that a test paints.

import { Window } from "happy-dom";
import type { ReactNode } from "react";

import type { Frame } from "#react/index.ts";

/** Frames that come when a test says so. */
export class ManualFrames {
  readonly #drawings = new Set<() => void>();

  readonly frame: Frame = (draw) => {
    const entry = (): void => draw();
    this.#drawings.add(entry);
    return () => void this.#drawings.delete(entry);
  };

  paint(): void {
    const due = [...this.#drawings];
    this.#drawings.clear();
    for (const draw of due) draw();
  }

  get asked(): number {
    return this.#drawings.size;
  }
}

/** What a test does with a page. */
export interface Page {
  text: () => string;
  render: (node: ReactNode) => Promise<void>;
  /** Does something and has React draw what came of it. */
  act: (work: () => void | Promise<void>) => Promise<void>;
  close: () => Promise<void>;
}

/** Opens an empty page. */
export async function openPage(): Promise<Page> {
  const window = new Window({ url: "http://localhost/" });
  // React reads these when it is loaded, so it is loaded behind them.
  const { document, navigator } = window;
  for (const [name, value] of Object.entries({ window, document, navigator, IS_REACT_ACT_ENVIRONMENT: true })) {
    Object.defineProperty(globalThis, name, { value, configurable: true });
  }
  const { act } = await import("react");
  const { createRoot } = await import("react-dom/client");
  const container = window.document.createElement("div");
  const root = createRoot(container as unknown as Parameters<typeof createRoot>[0]);
  const doing = async (work: () => void | Promise<void>): Promise<void> => {
    await act(async () => {
      await work();
    });
  };
  return {
    text: () => container.textContent,
    act: doing,
    render: (node) => doing(() => root.render(node)),
    close: async () => {
      await doing(() => root.unmount());
      await window.happyDOM.close();
    },
  };
}
