/**
 * Writes a text to the clipboard, and reports whether it is there. The window of a saved server in the desktop has no
 * permissions, so the Clipboard API is refused there; the copy command needs none, but a click or key just before.
 */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copyByCommand(text);
  }
}

function copyByCommand(text: string): boolean {
  let isWritten = false;
  const write = (event: ClipboardEvent) => {
    event.clipboardData?.setData('text/plain', text);
    event.preventDefault();
    event.stopImmediatePropagation();
    isWritten = event.clipboardData !== null;
  };
  // First of all listeners, so that no other one changes what is copied.
  window.addEventListener('copy', write, { capture: true });
  try {
    return document.execCommand('copy') && isWritten;
  } finally {
    window.removeEventListener('copy', write, { capture: true });
  }
}
