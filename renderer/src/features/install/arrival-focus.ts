import { type RefObject, useEffect, useRef } from 'react';
import { isUnclaimed, waitingMark } from '../../ui/unclaimed-focus.ts';

/** What replaces the control that was just used takes the focus that got lost with it. */
export function useArrivalFocus<E extends HTMLElement>(): RefObject<E | null> {
  const ref = useRef<E>(null);
  useEffect(() => {
    if (isUnclaimed(document.activeElement)) ref.current?.focus({ preventScroll: true });
  }, []);
  return ref;
}

/** Props of an element that takes a lost focus while what it holds comes and goes, and gives it to what arrives in it. */
export function useWaitingFocus<E extends HTMLElement>() {
  const ref = useRef<E>(null);
  // After every change: what had the focus may have gone with it.
  useEffect(() => {
    if (isUnclaimed(document.activeElement)) ref.current?.focus({ preventScroll: true });
  });
  return { ref, tabIndex: -1, [waitingMark]: '' };
}
