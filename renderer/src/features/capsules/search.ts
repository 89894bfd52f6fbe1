import { type CapsuleStatus, capsuleStatuses } from '#shared/capsules/contract';

/** Filters of the list, as stored in the URL. */
export type CapsulesSearch = { q?: string; status?: CapsuleStatus; gone?: true };

export const readCapsulesSearch = (search: Record<string, unknown>): CapsulesSearch => {
  const status = capsuleStatuses.find((one) => one === search['status']);
  return {
    ...(typeof search['q'] === 'string' && search['q'] !== '' && { q: search['q'].slice(0, 200) }),
    ...(status && { status }),
    ...(String(search['gone']) === 'true' && { gone: true }),
  };
};
