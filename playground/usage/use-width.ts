// The width of an element, kept up to date.

import { useLayoutEffect, useRef, useState } from "react";
import type { RefObject } from "react";

/** Whole pixels; 0 before it was measured. */
export function useWidth<T extends Element>(): [RefObject<T | null>, number] {
  const place = useRef<T>(null);
  const [width, setWidth] = useState(0);
  useLayoutEffect(() => {
    const element = place.current;
    if (element === null) return undefined;
    const measure = (): void => setWidth(Math.floor(element.getBoundingClientRect().width));
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    measure();
    return () => observer.disconnect();
  }, []);
  return [place, width];
}
