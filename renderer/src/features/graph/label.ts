import type { CapsuleGraph } from '#shared/dependencies/contract';
import { visibleText } from '../../ui/visible-text.ts';

const shown = 2;

/** What goes along a line: `url → api_url`, or the one name where both are the same; the rest is counted. */
export function labelOf({ outputs }: Pick<CapsuleGraph['edges'][number], 'outputs'>): string {
  const names = Object.values(outputs).map(({ from, to }) => (from === to ? from : `${from} → ${to}`));
  const more = names.length - shown;
  return visibleText([...names.slice(0, shown), ...(more > 0 ? [`+${more}`] : [])].join(', '));
}
