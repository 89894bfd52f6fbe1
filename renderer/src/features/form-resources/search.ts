import { type FormResourceStatusName, formResourceStatuses } from '#shared/form-resources/contract';

/** Filters of the list, as stored in the URL. */
export type FormResourcesSearch = { q?: string; status?: FormResourceStatusName };

export function readFormResourcesSearch(search: Record<string, unknown>): FormResourcesSearch {
  const q = typeof search['q'] === 'string' && search['q'] !== '' ? search['q'].slice(0, 200) : undefined;
  const status = formResourceStatuses.find((one) => one === search['status']);
  return { ...(q !== undefined && { q }), ...(status && { status }) };
}
