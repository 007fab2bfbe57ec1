// Hands bytes that the page has to the browser, to be saved as a file.

/** Saves them under a name; the browser makes of it what its system takes. */
export function saveBlob(blob: Blob, name: string): void {
  const url = URL.createObjectURL(blob);
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  // The browser has taken hold of it by the next task.
  setTimeout(() => URL.revokeObjectURL(url));
}
