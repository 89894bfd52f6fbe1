import { useId, useState } from 'react';
import type { Run } from '#shared/runs/contract';
import { api } from '../../../api/client.ts';
import { useIntent } from '../../../api/intent.ts';
import { queryClient } from '../../../api/queries.ts';
import { runQuery } from '../../../api/records.ts';
import { useMay } from '../../../api/role.ts';
import { ErrorNote } from '../../../components/error-note.tsx';
import { useText } from '../../../i18n/text.ts';
import { Button } from '../../../ui/button.tsx';

/** Asks those who may decide on a plan to review it, once per plan. For people who may not decide themselves. */
export function RequestApproval({ run }: { run: Run }) {
  const t = useText();
  const id = useId();
  const may = useMay();
  const [note, setNote] = useState('');
  const request = useIntent(async (keyOf) => {
    const body = note.trim() === '' ? {} : { note: note.trim() };
    const answer = await api.requestApproval({ params: { runId: run.id }, body }, keyOf('request'));
    queryClient.setQueryData(runQuery(run.id).queryKey, answer.body.run);
  });
  if (run.approvalRequest) return <p className="text-sm text-muted">{t('run.request.done')}</p>;
  if (!may('requestApproval')) return null;
  return (
    <div className="flex flex-col gap-2">
      {request.error !== undefined && <ErrorNote error={request.error} />}
      <div className="flex w-full min-w-0 items-center gap-2">
        <label htmlFor={id} className="sr-only">
          {t('run.request.note')}
        </label>
        <input
          id={id}
          value={note}
          maxLength={200}
          disabled={request.isBusy}
          placeholder={t('run.request.note')}
          onChange={(event) => setNote(event.target.value)}
          className="min-h-9 min-w-0 flex-1 rounded-md border border-line-strong/60 bg-card px-3 py-1.5 placeholder:text-muted sm:w-56 sm:flex-none"
        />
        <Button variant="primary" className="shrink-0" busy={request.isBusy} onClick={() => void request.run()}>
          {t('run.request.button')}
        </Button>
      </div>
    </div>
  );
}
