// Sets the page's name in the browser's tab.

import { useEffect } from "react";

/** Sets the name while the component is mounted. */
export function usePageTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · Threadhold`;
  }, [title]);
}
