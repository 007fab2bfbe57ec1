// Lets the browser save bytes as a file.

/** Saves bytes under a name, which the browser adapts to the system's rules. */
export function saveBlob(blob: Blob, name: string): void {
  const url = URL.createObjectURL(blob);
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  // The browser has read the address by the next task.
  setTimeout(() => URL.revokeObjectURL(url));
}
