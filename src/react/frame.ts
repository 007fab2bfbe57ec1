// Schedules updates of components: at most one for each animation frame. A hidden page draws no frames, so it updates when it
// becomes visible again.

/** Calls `draw` at the next frame, unless the returned function is called before. */
export type Frame = (draw: () => void) => () => void;

interface Painter {
  requestAnimationFrame?: (draw: () => void) => number;
  cancelAnimationFrame?: (id: number) => void;
}

/** Milliseconds until the next frame on a platform without animation frames. */
const frameMs = 16;

/** The browser's animation frames; elsewhere about sixty a second. */
export const platformFrame: Frame = (draw) => {
  const { requestAnimationFrame: request, cancelAnimationFrame: cancel } = globalThis as Painter;
  if (request !== undefined && cancel !== undefined) {
    const id = request(() => draw());
    return () => cancel(id);
  }
  const timer = setTimeout(draw, frameMs);
  return () => clearTimeout(timer);
};
