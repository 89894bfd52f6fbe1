import { type RefObject, useEffect, useRef } from 'react';

/** What replaces the control that was just used takes the focus that got lost with it. */
export function useArrivalFocus<E extends HTMLElement>(): RefObject<E | null> {
  const ref = useRef<E>(null);
  useEffect(() => {
    if (document.activeElement === null || document.activeElement === document.body)
      ref.current?.focus({ preventScroll: true });
  }, []);
  return ref;
}
