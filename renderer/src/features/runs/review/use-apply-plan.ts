import { useNavigate } from '@tanstack/react-router';
import type { Run } from '#shared/runs/contract';
import { api } from '../../../api/client.ts';
import { useIntent } from '../../../api/intent.ts';
import { queryClient } from '../../../api/queries.ts';
import { runQuery } from '../../../api/records.ts';

/** Approves a plan if it waits for approval, applies exactly what was reviewed, and opens the page of the apply. */
export function useApplyPlan(run: Run, { reason = '', onApplied }: { reason?: string; onApplied?: () => void } = {}) {
  const navigate = useNavigate();
  return useIntent(async (keyOf) => {
    const params = { runId: run.id };
    if (run.status === 'waiting_approval') {
      const body = reason.trim() === '' ? {} : { reason: reason.trim() };
      const approved = await api.approveRun({ params, body }, keyOf('approve'));
      queryClient.setQueryData(runQuery(run.id).queryKey, approved.body.run);
    }
    const body = run.planDigest === undefined ? {} : { planDigest: run.planDigest };
    const { run: apply } = (await api.applyRun({ params, body }, keyOf('apply'))).body;
    onApplied?.();
    await navigate({ to: '/runs/$id', params: { id: apply.id } });
  });
}
