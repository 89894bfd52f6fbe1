import type { FormResourceRecord } from '#shared/form-resources/contract';
import { type FormResourceState, formResourceStates, statesOf } from './states.ts';

/** Filters of the list, as stored in the URL. */
export type FormResourcesSearch = { q?: string; status?: FormResourceState };

export function readFormResourcesSearch(search: Record<string, unknown>): FormResourcesSearch {
  const q = typeof search['q'] === 'string' && search['q'] !== '' ? search['q'].slice(0, 200) : undefined;
  const status = formResourceStates.find((one) => one === search['status']);
  return { ...(q !== undefined && { q }), ...(status && { status }) };
}

/** Reports whether a Resource matches the filters; case is ignored. */
export function isMatch(resource: FormResourceRecord, { q, status }: FormResourcesSearch): boolean {
  if (status !== undefined && !statesOf(resource).includes(status)) return false;
  const wanted = q?.toLocaleLowerCase() ?? '';
  const { name, kind, formDisplayName = '', id } = resource;
  return [name, kind, formDisplayName, id].some((text) => text.toLocaleLowerCase().includes(wanted));
}
