import { areSingleKeysOn } from './single-keys.ts';

type KeyEvent = Pick<
  KeyboardEvent,
  'key' | 'ctrlKey' | 'metaKey' | 'altKey' | 'isComposing' | 'defaultPrevented' | 'target'
>;

/** Reports whether an element takes what is typed, or moves by letters. */
const takesLetters = (element: Element): boolean =>
  element.closest(
    'input, textarea, select, [contenteditable=""], [contenteditable=true], [role=menu], [role=listbox]',
  ) !== null;

export const isDialogOpen = (): boolean => document.querySelector('[role=dialog], [role=alertdialog]') !== null;

/**
 * Reports whether a key belongs to the page: it is not handled yet, has no modifier, and is neither typed nor composed
 * nor pressed in a dialog.
 */
export const isPageKey = (event: KeyEvent): boolean =>
  !event.defaultPrevented &&
  !event.ctrlKey &&
  !event.metaKey &&
  !event.altKey &&
  !event.isComposing &&
  event.target instanceof Element &&
  !takesLetters(event.target) &&
  !isDialogOpen();

/** Reports whether a key belongs to the page and the user has not turned single keys off. */
export const isSingleKey = (event: KeyEvent): boolean =>
  [...event.key].length === 1 && areSingleKeysOn() && isPageKey(event);
