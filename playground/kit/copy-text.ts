// Copies a text to the clipboard. Browsers offer the clipboard API on secure origins only, and a deployment in a local
// network is not one: there an older method is used.

/** Milliseconds for which a button shows that it copied its text. */
export const copiedMs = 1500;

/** Copies a text; returns whether that succeeded. */
export async function copyText(text: string): Promise<boolean> {
  const { clipboard } = navigator as { clipboard?: Clipboard };
  if (clipboard === undefined) return copySelected(text);
  return clipboard.writeText(text).then(
    () => true,
    () => copySelected(text),
  );
}

function copySelected(text: string): boolean {
  const field = document.createElement("textarea");
  field.value = text;
  field.readOnly = true;
  const before = document.activeElement;
  document.body.append(field);
  field.select();
  // oxlint-disable-next-line typescript/no-deprecated -- nothing else copies where there is no clipboard
  const copied = document.execCommand("copy");
  field.remove();
  if (before instanceof HTMLElement) before.focus({ preventScroll: true });
  return copied;
}
