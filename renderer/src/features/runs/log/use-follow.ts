import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react';

const nearPx = 32;
const readerEvents = ['wheel', 'touchstart', 'pointerdown', 'keydown'] as const;

/**
 * Keeps the end of a growing list in sight while the reader is there: going up lets go of it, going to the end takes hold
 * again. `size` is whatever grows.
 */
export function useFollow(box: RefObject<HTMLElement | null>, { size, isHeld }: { size: number; isHeld: boolean }) {
  const [isFollowing, setFollowing] = useState(isHeld);
  const last = useRef({ top: 0, height: 0 });
  // A place that was shown on purpose may lie at the end while the list is still being laid out; only its reader takes hold.
  const isReader = useRef(true);

  useEffect(() => {
    const element = box.current;
    if (!element) return;
    const onScroll = () => {
      const { scrollTop, scrollHeight, clientHeight } = element;
      const isAtEnd = scrollHeight - scrollTop - clientHeight < nearPx;
      // A list that shrinks moves its reader up without the reader's doing.
      const wentUp = scrollTop < last.current.top - 1 && scrollHeight >= last.current.height;
      last.current = { top: scrollTop, height: scrollHeight };
      if (isAtEnd) setFollowing((was) => was || isReader.current);
      else if (wentUp) setFollowing(false);
    };
    const onReader = () => {
      isReader.current = true;
    };
    element.addEventListener('scroll', onScroll, { passive: true });
    for (const name of readerEvents) element.addEventListener(name, onReader, { passive: true });
    return () => {
      element.removeEventListener('scroll', onScroll);
      for (const name of readerEvents) element.removeEventListener(name, onReader);
    };
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

  const letGo = useCallback(() => {
    isReader.current = false;
    setFollowing(false);
  }, []);

  return { isFollowing, toEnd, letGo };
}
