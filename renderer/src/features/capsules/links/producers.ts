import { useQuery } from '@tanstack/react-query';
import { seenName } from '#shared/shares/contract';
import { allCapsulesQuery, sharesQuery } from '../../../api/links.ts';
import { outputsQuery, reportQuery } from '../../../api/records.ts';
import { useWorkspaceId } from '../../../api/session.tsx';
import { hiddenNames } from '../outputs.tsx';

export type Producer = { id: string; text: string; isForeign: boolean };

/** Whom a Capsule may build on: the others of its Workspace, and those of which something is shared with it. */
export function useProducers(consumerId: string) {
  const workspaceId = useWorkspaceId();
  const capsules = useQuery(allCapsulesQuery(workspaceId));
  const shares = useQuery(sharesQuery(workspaceId));
  const own = (capsules.data ?? [])
    .filter(({ id, status }) => id !== consumerId && status !== 'destroyed')
    .map(({ id, name, environment }): Producer => ({ id, text: `${name} (${environment})`, isForeign: false }))
    .sort((a, b) => a.text.localeCompare(b.text));
  const known = new Set(own.map(({ id }) => id));
  const taken = (shares.data ?? []).filter(
    (share) => share.status === 'active' && share.toWorkspaceId === workspaceId && !known.has(share.producerCapsuleId),
  );
  const foreign = [...new Set(taken.map(({ producerCapsuleId }) => producerCapsuleId))].map(
    (id): Producer => ({ id, text: id, isForeign: true }),
  );
  const failed = [capsules, shares].find(({ isLoadingError }) => isLoadingError);
  return { own, foreign, isPending: capsules.isPending || shares.isPending, failed };
}

export type Offered = { name: string; isSensitive: boolean };

/** Outputs of a Capsule that can be chosen, by name; sensitive ones too. Undefined while they are read. */
export function useOutputsOf(capsuleId: string | undefined): Offered[] | undefined {
  const workspaceId = useWorkspaceId();
  const capsule = useQuery(allCapsulesQuery(workspaceId)).data?.find(({ id }) => id === capsuleId);
  const isOwn = capsule !== undefined;
  const output = useQuery({ ...outputsQuery(capsuleId ?? ''), enabled: isOwn });
  const reportId = capsule?.compatibilityReportId;
  const report = useQuery({ ...reportQuery(reportId ?? ''), enabled: isOwn && reportId !== undefined });
  const shares = useQuery({ ...sharesQuery(workspaceId), enabled: !isOwn });
  if (!isOwn)
    return shares.data
      ?.filter(({ producerCapsuleId, status }) => producerCapsuleId === capsuleId && status === 'active')
      .flatMap(({ outputs }) => outputs.map((one) => ({ name: seenName(one), isSensitive: one.sensitive })));
  if (output.isPending) return undefined;
  const shown = Object.keys(output.data?.workspaceOutputs ?? {});
  const hidden = hiddenNames(report.data, new Set(shown));
  return [
    ...shown.sort().map((name) => ({ name, isSensitive: false })),
    ...hidden.map((name) => ({ name, isSensitive: true })),
  ];
}
