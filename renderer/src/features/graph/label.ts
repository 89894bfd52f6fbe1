import type { CapsuleGraph } from '#shared/dependencies/contract';
import { visibleText } from '../../ui/visible-text.ts';

const shown = 2;

/**
 * Returns the label of an edge: `url → api_url`, or one name when both are equal, plus the number of further Outputs.
 */
export function labelOf({ outputs }: Pick<CapsuleGraph['edges'][number], 'outputs'>): string {
  const names = Object.values(outputs).map(({ from, to }) => (from === to ? from : `${from} → ${to}`));
  const more = names.length - shown;
  return visibleText([...names.slice(0, shown), ...(more > 0 ? [`+${more}`] : [])].join(', '));
}
