// Puts a text where it can be pasted from. Browsers have their clipboard on safe origins alone, and a deployment in a local network is
// none: there the old way is taken.

/** Whether it was copied. */
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
