import { useState } from 'react';
import type { RunGroup } from '#shared/run-groups/contract';
import type { RunRow } from '#shared/runs/contract';
import { api } from '../../api/client.ts';
import { runGroupQuery } from '../../api/groups.ts';
import { useIntent } from '../../api/intent.ts';
import { queryClient } from '../../api/queries.ts';
import { useMay } from '../../api/role.ts';
import { Confirm } from '../../components/confirm.tsx';
import { useText } from '../../i18n/text.ts';
import { Button } from '../../ui/button.tsx';
import { ChangeCounts } from '../../ui/change-counts.tsx';
import { visibleText } from '../../ui/visible-text.ts';

/** Applies every plan of the group that is ready. The dialog lists them and their changes first. */
export function ApplyGroup({ group, runs }: { group: RunGroup; runs: readonly RunRow[] }) {
  const t = useText();
  const [isOpen, setOpen] = useState(false);
  const waiting = runs.filter(({ awaits }) => awaits === 'apply');
  const planDigests = Object.fromEntries(waiting.map(({ id, planDigest }) => [id, planDigest ?? '']));
  const apply = useIntent(async (keyOf) => {
    const params = { runGroupId: group.id };
    const { body } = await api.applyRunGroup({ params, body: { planDigests } }, keyOf('apply'));
    queryClient.setQueryData(runGroupQuery(group.id).queryKey, body);
    setOpen(false);
  });
  const may = useMay();
  if (waiting.length === 0 || !may('applyRunGroup')) return null;
  const close = () => {
    apply.reset();
    setOpen(false);
  };
  return (
    <>
      <Button variant="primary" onClick={() => setOpen(true)}>
        {t('group.apply', { count: waiting.length })}
      </Button>
      <Confirm
        isOpen={isOpen}
        onClose={close}
        title={t('group.apply.title', { count: waiting.length })}
        action={t('group.apply', { count: waiting.length })}
        busy={apply.isBusy}
        error={apply.error}
        onConfirm={() => void apply.run()}
      >
        <p>{t('group.apply.text')}</p>
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
