import { useNavigate } from '@tanstack/react-router';
import { useEffect } from 'react';
import { installLinkSearch } from '#shared/sources/link-address';
import { parseSearch } from '../../api/address-search.ts';

const types = ['text/uri-list', 'text/plain'];

/** Returns the install link in a drag. A list of addresses may begin with comments (RFC 2483, section 5). */
function searchOf({ dataTransfer }: DragEvent): string | undefined {
  const lines = types.flatMap((type) => dataTransfer?.getData(type).split(/\r?\n/) ?? []);
  const first = lines.find((line) => line.trim() !== '' && !line.startsWith('#'));
  return first === undefined ? undefined : installLinkSearch(first);
}

/** Reviews an install link that is dropped anywhere on the window, as if it were opened. Anything else is ignored. */
export function useDroppedLink(): void {
  const navigate = useNavigate();
  useEffect(() => {
    // The content of a drag cannot be read before the drop, and a drop happens only where it was accepted beforehand.
    // Input fields accept text anyway.
    const allow = (event: DragEvent) => {
      if (event.target instanceof Element && event.target.matches('input, textarea')) return;
      if (types.some((type) => event.dataTransfer?.types.includes(type))) event.preventDefault();
    };
    const take = (event: DragEvent) => {
      const search = searchOf(event);
      if (search === undefined) return;
      event.preventDefault();
      void navigate({ to: '/new', search: parseSearch(search) });
    };
    window.addEventListener('dragover', allow);
    window.addEventListener('drop', take);
    return () => {
      window.removeEventListener('dragover', allow);
      window.removeEventListener('drop', take);
    };
  }, [navigate]);
}
