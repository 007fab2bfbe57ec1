// The page's name in the browser's tab.

import { useEffect } from "react";

/** Names the page while the component is there. */
export function usePageTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · Threadhold`;
  }, [title]);
}
