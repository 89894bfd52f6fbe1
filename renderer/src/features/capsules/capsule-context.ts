import { createContext, useContext } from 'react';
import type { Capsule } from '#shared/capsules/contract';
import type { CompatibilityReport } from '#shared/sources/report';
import type { Again } from '../../api/use-again.ts';

/** The Capsule whose pages are shown, the compatibility report of its applied commit or of the planned one, and its plans. */
type ShownCapsule = { capsule: Capsule; report: CompatibilityReport | undefined; again: Again };

export const CapsuleContext = createContext<ShownCapsule | undefined>(undefined);

/** Returns the Capsule of the current page. Only pages below `/capsules/$id` have one. */
export function useCapsule(): ShownCapsule {
  const shown = useContext(CapsuleContext);
  if (shown === undefined) throw new Error('This component belongs on a page of a Capsule.');
  return shown;
}
