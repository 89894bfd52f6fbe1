import { type RefObject, useEffect, useRef } from 'react';
import { isUnclaimed, waitingMark } from '../../ui/unclaimed-focus.ts';

/** Moves the focus to an element that replaces the control that was just used. */
export function useArrivalFocus<E extends HTMLElement>(): RefObject<E | null> {
  const ref = useRef<E>(null);
  useEffect(() => {
    if (isUnclaimed(document.activeElement)) ref.current?.focus({ preventScroll: true });
  }, []);
  return ref;
}

/** Props of an element that takes the focus when its focused content is removed, and passes it to new content. */
export function useWaitingFocus<E extends HTMLElement>() {
  const ref = useRef<E>(null);
  // After every render, because the focused element may have been removed.
  useEffect(() => {
    if (isUnclaimed(document.activeElement)) ref.current?.focus({ preventScroll: true });
  });
  return { ref, tabIndex: -1, [waitingMark]: '' };
}
