import { type PlanAddress, readOpenRows } from '../../../components/plan/plan-address.ts';

const textIn = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' && value.length <= 200 ? value : undefined;

/** Reads the view of the differences from the URL. */
export function readDriftSearch(search: Record<string, unknown>): PlanAddress {
  const q = textIn(search['q']);
  const kinds = textIn(search['kinds']);
  const open = readOpenRows(search['open']);
  return {
    ...(q !== undefined && { q }),
    ...(kinds !== undefined && { kinds }),
    ...(open !== undefined && { open }),
  };
}
