import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react';

const nearPx = 32;
const readerEvents = ['wheel', 'touchstart', 'pointerdown', 'keydown'] as const;

/**
 * Keeps the end of a growing list in view: scrolling up stops following, scrolling to the end resumes it. `size` is the
 * size of the list.
 */
export function useFollow(box: RefObject<HTMLElement | null>, { size, isHeld }: { size: number; isHeld: boolean }) {
  const [isFollowing, setFollowing] = useState(isHeld);
  const last = useRef({ top: 0, height: 0 });
  // A position that was shown on purpose may be at the end during the layout. Only scrolling by the user counts.
  const isReader = useRef(true);

  useEffect(() => {
    const element = box.current;
    if (!element) return;
    const onScroll = () => {
      const { scrollTop, scrollHeight, clientHeight } = element;
      const isAtEnd = scrollHeight - scrollTop - clientHeight < nearPx;
      // A list that shrinks also changes the scroll position, without any scrolling by the user.
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
