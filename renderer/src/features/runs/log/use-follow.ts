import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react';

const nearPx = 32;

/**
 * Keeps the end of a growing list in sight while the reader is there: going up lets go of it, going to the end takes hold
 * again. `size` is whatever grows.
 */
export function useFollow(box: RefObject<HTMLElement | null>, { size, isHeld }: { size: number; isHeld: boolean }) {
  const [isFollowing, setFollowing] = useState(isHeld);
  const last = useRef({ top: 0, height: 0 });

  useEffect(() => {
    const element = box.current;
    if (!element) return;
    const onScroll = () => {
      const { scrollTop, scrollHeight, clientHeight } = element;
      const isAtEnd = scrollHeight - scrollTop - clientHeight < nearPx;
      // A list that shrinks moves its reader up without the reader's doing.
      const wentUp = scrollTop < last.current.top - 1 && scrollHeight >= last.current.height;
      last.current = { top: scrollTop, height: scrollHeight };
      if (isAtEnd) setFollowing(true);
      else if (wentUp) setFollowing(false);
    };
    element.addEventListener('scroll', onScroll, { passive: true });
    return () => element.removeEventListener('scroll', onScroll);
  }, [box]);

  const toEnd = useCallback(() => {
    setFollowing(true);
    const element = box.current;
    if (element) element.scrollTop = element.scrollHeight;
  }, [box]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the growth is what it reacts to
  useLayoutEffect(() => {
    if (isFollowing && box.current) box.current.scrollTop = box.current.scrollHeight;
  }, [isFollowing, size, box]);

  return { isFollowing, toEnd, letGo: useCallback(() => setFollowing(false), []) };
}
