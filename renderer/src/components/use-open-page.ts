import { useNavigate } from '@tanstack/react-router';
import { useCallback } from 'react';

/** Returns a function that opens a page and moves the focus to its content, unless the page has placed it there. */
export function useOpenPage(): (href: string) => void {
  const navigate = useNavigate();
  return useCallback(
    async (href) => {
      await navigate({ href });
      const content = document.getElementById('content');
      if (!content?.contains(document.activeElement)) content?.focus({ preventScroll: true });
    },
    [navigate],
  );
}
