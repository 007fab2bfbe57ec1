// When components are told of what changed: once a frame, however much came in it. A page that nobody looks at draws no frames,
// and is told when it is looked at again.

/** Calls `draw` at the next frame, unless the function given back is called before. */
export type Frame = (draw: () => void) => () => void;

interface Painter {
  requestAnimationFrame?: (draw: () => void) => number;
  cancelAnimationFrame?: (id: number) => void;
}

/** Milliseconds of a frame where nothing is painted. */
const frameMs = 16;

/** The browser's frames; elsewhere sixty a second. */
export const platformFrame: Frame = (draw) => {
  const { requestAnimationFrame: request, cancelAnimationFrame: cancel } = globalThis as Painter;
  if (request !== undefined && cancel !== undefined) {
    const id = request(() => draw());
    return () => cancel(id);
  }
  const timer = setTimeout(draw, frameMs);
  return () => clearTimeout(timer);
};
