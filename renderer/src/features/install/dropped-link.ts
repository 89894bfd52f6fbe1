import { useNavigate } from '@tanstack/react-router';
import { useEffect } from 'react';
import { findDesktop } from '#shared/desktop';
import { installLinkSearch } from '#shared/sources/link-address';
import { readPastedAddress } from '#shared/sources/pasted-address';
import { parseSearch } from '../../api/address-search.ts';
import type { NewSearch } from './search.ts';

const textTypes = ['text/uri-list', 'text/plain'];

type Drag = Pick<DragEvent, 'dataTransfer'>;

/** Returns the first address of a drag. A list of addresses may begin with comments (RFC 2483, section 5). */
function addressOf({ dataTransfer }: Drag): string | undefined {
  const lines = textTypes.flatMap((type) => dataTransfer?.getData(type).split(/\r?\n/) ?? []);
  return lines.find((line) => line.trim() !== '' && !line.startsWith('#'))?.trim();
}

/** Returns the path of the first file or folder of a drag. Only the desktop knows it. */
function pathOf({ dataTransfer }: Drag): string | undefined {
  const [file] = dataTransfer?.files ?? [];
  return (file && findDesktop(window)?.droppedPath(file)) || undefined;
}

/** Returns the page for what was dropped: the review of an install link, or an address that waits for "Inspect". */
export function searchOfDrop(drag: Drag): NewSearch | undefined {
  const path = pathOf(drag);
  if (path !== undefined) return readPastedAddress(path) && { url: path };
  const address = addressOf(drag);
  if (address === undefined) return undefined;
  const link = installLinkSearch(address);
  if (link !== undefined) return parseSearch(link) as NewSearch;
  return readPastedAddress(address) && { url: address };
}

/**
 * Shows an install link, a Git address, and in the desktop a folder, that is dropped anywhere on the window, as if it
 * were entered. Nothing is fetched. Anything else is ignored.
 */
export function useDroppedLink(): void {
  const navigate = useNavigate();
  useEffect(() => {
    const types = findDesktop(window) ? [...textTypes, 'Files'] : textTypes;
    // The content of a drag cannot be read before the drop, and a drop happens only where it was accepted beforehand.
    // Input fields accept text anyway.
    const isOwnTarget = ({ target }: DragEvent) => target instanceof Element && target.matches('input, textarea');
    const allow = (event: DragEvent) => {
      if (isOwnTarget(event)) return;
      if (types.some((type) => event.dataTransfer?.types.includes(type))) event.preventDefault();
    };
    const take = (event: DragEvent) => {
      if (event.defaultPrevented || isOwnTarget(event)) return;
      const search = searchOfDrop(event);
      if (search === undefined) return;
      event.preventDefault();
      void navigate({ to: '/new', search });
    };
    window.addEventListener('dragover', allow);
    window.addEventListener('drop', take);
    return () => {
      window.removeEventListener('dragover', allow);
      window.removeEventListener('drop', take);
    };
  }, [navigate]);
}
