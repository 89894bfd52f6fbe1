import { type OpenRows, readOpenRows } from '../../../components/plan/plan-address.ts';

/** The two compared StateVersions, and the view of their differences, as stored in the URL. */
export type StatesSearch = { from?: string; to?: string; q?: string; kinds?: string; open?: OpenRows };

const textIn = (value: unknown, most: number): string | undefined =>
  typeof value === 'string' && value !== '' && value.length <= most ? value : undefined;

export const readStatesSearch = (search: Record<string, unknown>): StatesSearch => {
  const from = textIn(search['from'], 64);
  const to = textIn(search['to'], 64);
  const q = textIn(search['q'], 200);
  const kinds = textIn(search['kinds'], 200);
  const open = readOpenRows(search['open']);
  return {
    ...(from !== undefined && { from }),
    ...(to !== undefined && { to }),
    ...(q !== undefined && { q }),
    ...(kinds !== undefined && { kinds }),
    ...(open !== undefined && { open }),
  };
};
