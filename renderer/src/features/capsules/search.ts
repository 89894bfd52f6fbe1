import { CapsuleLabel, type CapsuleStatus, capsuleStatuses } from '#shared/capsules/contract';

/** Filters of the list, as stored in the URL. */
export type CapsulesSearch = { q?: string; status?: CapsuleStatus; label?: string; gone?: true };

export const readCapsulesSearch = (search: Record<string, unknown>): CapsulesSearch => {
  const status = capsuleStatuses.find((one) => one === search['status']);
  const label = CapsuleLabel.safeParse(
    typeof search['label'] === 'number' ? String(search['label']) : search['label'],
  ).data;
  return {
    ...(typeof search['q'] === 'string' && search['q'] !== '' && { q: search['q'].slice(0, 200) }),
    ...(status && { status }),
    ...(label !== undefined && { label }),
    ...(String(search['gone']) === 'true' && { gone: true }),
  };
};
