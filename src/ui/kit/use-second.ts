// The time for texts that count seconds. It ticks only while a component that counts is shown and the page is looked at.

import { useEffect, useState } from "react";

/** Milliseconds since epoch, once a second. */
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
