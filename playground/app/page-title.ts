// Sets the page's name in the browser's tab, after the number of threads that wait for a person.

import { useEffect } from "react";

let name = "";
let waiting = "";

function show(): void {
  document.title = `${waiting === "" ? "" : `(${waiting}) `}${name} · Threadhold`;
}

/** Sets the name while the component is mounted. */
export function usePageTitle(title: string): void {
  useEffect(() => {
    name = title;
    show();
  }, [title]);
}

/** Sets the number; empty for none. It is removed when the component is unmounted. */
export function useTitleCount(count: string): void {
  useEffect(() => {
    const put = (next: string): void => {
      waiting = next;
      // Before the first page has a name, the document's own title stays.
      if (name !== "") show();
    };
    put(count);
    return () => put("");
  }, [count]);
}
