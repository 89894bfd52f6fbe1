import { useSyncExternalStore } from 'react';

/** Widest screen on which a picture of many Capsules cannot be read. */
const narrow = '(max-width: 639px)';

const subscribe = (onChange: () => void): (() => void) => {
  const list = window.matchMedia(narrow);
  list.addEventListener('change', onChange);
  return () => list.removeEventListener('change', onChange);
};

/** Reports whether the screen is as narrow as a phone. */
export const useIsNarrow = (): boolean => useSyncExternalStore(subscribe, () => window.matchMedia(narrow).matches);
