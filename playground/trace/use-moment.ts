// The present while something goes on, a few times a second: what grows is drawn as it grows.

import { useEffect, useState } from "react";

const everyMs = 100;

/** Microseconds since epoch. It stands still while nothing goes on, and is never before what was told already. */
export function useMoment(going: boolean, told: number): number {
  const [now, setNow] = useState(() => Date.now() * 1000);
  useEffect(() => {
    if (!going) return undefined;
    const tick = (): void => {
      if (!document.hidden) setNow(Date.now() * 1000);
    };
    tick();
    const timer = setInterval(tick, everyMs);
    return () => clearInterval(timer);
  }, [going]);
  return Math.max(now, told);
}
