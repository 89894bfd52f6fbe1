import { useQuery } from '@tanstack/react-query';
import type { Json } from '#shared/kernel/json';
import { seenName } from '#shared/output-shares/contract';
import type { OutputType } from '#shared/state-versions/contract';
import { capsuleNamesQuery, sharesQuery } from '../../api/links.ts';
import { capsuleQuery, outputsQuery, reportQuery } from '../../api/records.ts';
import { useWorkspaceId } from '../../api/session.tsx';
import { whenKnown } from '../../api/when-known.ts';
import { hiddenNames } from '../../ui/output-list.tsx';

/** A Capsule whose Outputs can be used. `isApplied` is false while it has none, because it was never applied. */
export type Producer = { id: string; text: string; isApplied: boolean };

/** Capsules that a Capsule can depend on: the others of its Workspace, and those shared with it. A new Capsule has no id. */
export function useProducers(consumerId?: string) {
  const workspaceId = useWorkspaceId();
  const capsules = useQuery(capsuleNamesQuery(workspaceId));
  const shares = useQuery(sharesQuery(workspaceId));
  const own = (capsules.data ?? [])
    .filter(({ capsuleId }) => capsuleId !== consumerId)
    .map(
      ({ capsuleId: id, name, environment, status }): Producer => ({
        id,
        text: `${name} (${environment})`,
        isApplied: status !== 'pending',
      }),
    )
    .sort((a, b) => a.text.localeCompare(b.text));
  const known = new Set((capsules.data ?? []).map(({ capsuleId }) => capsuleId));
  const taken = (shares.data ?? []).filter(
    (share) => share.status === 'active' && share.toWorkspaceId === workspaceId && !known.has(share.producerCapsuleId),
  );
  const foreign = [...new Set(taken.map(({ producerCapsuleId }) => producerCapsuleId))].map(
    (id): Producer => ({ id, text: id, isApplied: true }),
  );
  const failed = [capsules, shares].find(({ isLoadingError }) => isLoadingError);
  return { own, foreign, isPending: capsules.isPending || shares.isPending, failed };
}

/** An Output to choose: its value where that is known and not sensitive, or the type that a share names. */
export type Offered = { name: string; isSensitive: boolean; value?: Json; type?: OutputType };

/** Names of the Outputs that can be selected, including sensitive ones. Undefined while they load. */
export function useOutputsOf(capsuleId: string, isOwn: boolean): Offered[] | undefined {
  const workspaceId = useWorkspaceId();
  const capsule = useQuery({ ...capsuleQuery(capsuleId), enabled: isOwn && capsuleId !== '' }).data;
  const output = useQuery({ ...outputsQuery(capsuleId), enabled: isOwn && capsuleId !== '' });
  const reportId = capsule?.compatibilityReportId;
  const report = useQuery(whenKnown(reportId, reportQuery));
  const shares = useQuery({ ...sharesQuery(workspaceId), enabled: !isOwn });
  if (!isOwn)
    return shares.data
      ?.filter(({ producerCapsuleId, status }) => producerCapsuleId === capsuleId && status === 'active')
      .flatMap(({ outputs }) =>
        outputs.map((one) => ({
          name: seenName(one),
          isSensitive: one.sensitive,
          ...(one.type !== undefined && { type: one.type }),
        })),
      );
  if (output.isPending) return undefined;
  const values = (output.data?.workspaceOutputs ?? {}) as Record<string, Json>;
  const shown = Object.keys(values);
  const hidden = hiddenNames(report.data, new Set(shown));
  return [
    ...shown.sort().map((name) => ({ name, isSensitive: false, value: values[name] as Json })),
    ...hidden.map((name) => ({ name, isSensitive: true })),
  ];
}
