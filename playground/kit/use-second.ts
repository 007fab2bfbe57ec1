// The current time for texts that count seconds. It changes only while such a text is shown and the page is visible.

import { useEffect, useState } from "react";

/** Milliseconds since epoch, updated once a second. */
export function useSecond(): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => {
      if (!document.hidden) setNow(Date.now());
    }, 1000);
    return () => clearInterval(timer);
  }, []);
  return now;
}
