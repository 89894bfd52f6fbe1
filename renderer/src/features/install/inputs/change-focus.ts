import { flushSync } from 'react-dom';

/**
 * Makes a change and focuses a control that it brings, before the next key is read: keys that are typed until a later frame
 * would reach the control before it.
 */
export function changeThenFocus(change: () => void, id: string): void {
  flushSync(change);
  document.getElementById(id)?.focus();
}
