import { flushSync } from 'react-dom';

/**
 * Applies a change and focuses a control that it creates, before the next key is handled. In a later frame the keys
 * would reach the previous control.
 */
export function changeThenFocus(change: () => void, id: string): void {
  flushSync(change);
  document.getElementById(id)?.focus();
}
