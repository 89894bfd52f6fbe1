import { useState } from 'react';
import type { RunGroup } from '#shared/run-groups/contract';
import type { RunRow } from '#shared/runs/contract';
import { api } from '../../api/client.ts';
import { runGroupQuery } from '../../api/groups.ts';
import { useIntent } from '../../api/intent.ts';
import { queryClient } from '../../api/queries.ts';
import { useMay } from '../../api/role.ts';
import { useSession } from '../../api/session.tsx';
import { Confirm } from '../../components/confirm.tsx';
import { useText } from '../../i18n/text.ts';
import { Button } from '../../ui/button.tsx';
import { ChangeCounts } from '../../ui/change-counts.tsx';
import { visibleText } from '../../ui/visible-text.ts';

/** Lists the plans that the signed-in user may approve. A policy of the Workspace can exclude the user's own plans. */
function usePlansToApprove(runs: readonly RunRow[]): { plans: RunRow[]; isForSecond: boolean } {
  const { data } = useSession();
  const waiting = runs.filter(({ awaits }) => awaits === 'approve');
  const needsSecond = data?.workspace.policy?.approval?.requireSecondPerson === true;
  const plans = waiting.filter(({ createdBy }) => !needsSecond || createdBy !== data?.session.subject);
  return { plans, isForSecond: plans.length < waiting.length };
}

/** Approves every waiting plan of the group. The dialog lists them and their changes first. */
export function ApproveGroup({ group, runs }: { group: RunGroup; runs: readonly RunRow[] }) {
  const t = useText();
  const [isOpen, setOpen] = useState(false);
  const { plans: waiting, isForSecond } = usePlansToApprove(runs);
  const approve = useIntent(async (keyOf) => {
    const { body } = await api.approveRunGroup({ params: { runGroupId: group.id }, body: {} }, keyOf('approve'));
    queryClient.setQueryData(runGroupQuery(group.id).queryKey, body);
    setOpen(false);
  });
  const may = useMay();
  if (!may('approveRunGroup')) return null;
  if (waiting.length === 0) return isForSecond && <p className="text-sm text-muted">{t('run.review.second')}</p>;
  const close = () => {
    approve.reset();
    setOpen(false);
  };
  return (
    <>
      <Button variant="primary" onClick={() => setOpen(true)}>
        {t('group.approve', { count: waiting.length })}
      </Button>
      <Confirm
        isOpen={isOpen}
        onClose={close}
        title={t('group.approve.title', { count: waiting.length })}
        action={t('group.approve', { count: waiting.length })}
        busy={approve.isBusy}
        error={approve.error}
        onConfirm={() => void approve.run()}
      >
        <p>{t('group.approve.text')}</p>
        <ul className="mt-3 flex max-h-64 flex-col gap-1 overflow-auto text-ink">
          {waiting.map(({ id, capsuleName, summary }) => (
            <li key={id} className="flex flex-wrap justify-between gap-2">
              <span className="break-words">{visibleText(capsuleName ?? id)}</span>
              {summary && <ChangeCounts counts={summary} />}
            </li>
          ))}
        </ul>
      </Confirm>
    </>
  );
}
