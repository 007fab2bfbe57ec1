// A page into which React renders, with frames that a test paints.

import { Window } from "happy-dom";
import type { ReactNode } from "react";

import type { Frame } from "#react/index.ts";

/** Animation frames that run when a test asks for them. */
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

  get requested(): number {
    return this.#drawings.size;
  }
}

/** The functions of a page for a test. */
export interface Page {
  text: () => string;
  render: (node: ReactNode) => Promise<void>;
  /** Runs `work` and lets React render its effects. */
  act: (work: () => void | Promise<void>) => Promise<void>;
  close: () => Promise<void>;
}

/** Opens an empty page. */
export async function openPage(): Promise<Page> {
  const window = new Window({ url: "http://localhost/" });
  // React reads these globals when it is loaded, so it is loaded after they are set.
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
