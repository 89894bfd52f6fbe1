import { useNavigate } from '@tanstack/react-router';
import { RefreshCw } from 'lucide-react';
import { useState } from 'react';
import type { Run } from '#shared/runs/contract';
import { ApiError, api } from '../../api/client.ts';
import { type Keys, useIntent } from '../../api/intent.ts';
import { forgetChanged } from '../../api/queries.ts';
import { followRun } from '../../api/run-progress.ts';
import { type TextId, useText } from '../../i18n/text.ts';
import { Button } from '../../ui/button.tsx';
import { ErrorNote } from '../../ui/error-note.tsx';

type Target = { capsuleId: string; sourceId: string };
type Step = 'sync' | 'check' | 'plan';

const stepTexts: Record<Step, TextId> = { sync: 'again.sync', check: 'again.check', plan: 'again.plan' };

const ended = (runId: string): Promise<void> =>
  new Promise((resolve) => {
    followRun(runId, ({ isOver }) => isOver && resolve());
  });

/** Fetches the newest commit. A sync that fails is a Run of its own, which says why. Answers it when it failed. */
async function sync(sourceId: string, keyOf: Keys): Promise<Run | undefined> {
  const { body } = await api.syncSource({ params: { sourceId }, body: { intent: 'manual_plan' } }, keyOf('sync'));
  await ended(body.run.id);
  const { run } = (await api.getRun({ params: { runId: body.run.id } })).body;
  forgetChanged({ kind: 'source', id: sourceId });
  return run.status === 'succeeded' ? undefined : run;
}

/** Plans the newest snapshot of the Capsule's lane. The server names the snapshot that has to be checked before. */
async function planNewest({ capsuleId, sourceId }: Target, keyOf: Keys, onStep: (step: Step) => void): Promise<Run> {
  const failed = await sync(sourceId, keyOf);
  if (failed) return failed;
  const plan = (request: string) => api.planCapsule({ params: { capsuleId }, body: {} }, keyOf(request));
  onStep('plan');
  try {
    return (await plan('plan')).body.run;
  } catch (error) {
    if (!(error instanceof ApiError) || error.details['reason'] !== 'compatibility_report_missing') throw error;
    const { sourceSnapshotId, modulePath } = error.details;
    onStep('check');
    const body = {
      ...(typeof sourceSnapshotId === 'string' && { sourceSnapshotId }),
      ...(typeof modulePath === 'string' && { modulePath }),
    };
    await api.checkCompatibility({ params: { sourceId }, body }, keyOf('check'));
    onStep('plan');
    return (await plan('plan-checked')).body.run;
  }
}

/** Plans the Capsule of a Run again, from the newest commit or from the one of the Run, and goes to the new plan. */
export function PlanAgain({ run, target }: { run: Run; target: Target }) {
  const t = useText();
  const navigate = useNavigate();
  const [step, setStep] = useState<Step>('sync');
  const { compatibilityReportId } = run;
  const again = useIntent(async (keyOf, choice: 'newest' | 'same') => {
    setStep(choice === 'same' ? 'plan' : 'sync');
    const same = { params: { capsuleId: target.capsuleId }, body: { compatibilityReportId } };
    const made =
      choice === 'same' && compatibilityReportId !== undefined
        ? (await api.planCapsule({ ...same, body: { compatibilityReportId } }, keyOf('same'))).body.run
        : await planNewest(target, keyOf, setStep);
    await navigate({ to: '/runs/$id', params: { id: made.id } });
  });
  return (
    <div className="flex flex-col gap-2">
      <div className="flex flex-wrap items-center gap-2">
        <Button busy={again.isBusy} onClick={() => void again.run('newest')} title={t('again.button.title')}>
          {!again.isBusy && <RefreshCw size={15} aria-hidden="true" />} {t('again.button')}
        </Button>
        {compatibilityReportId !== undefined && (
          <Button
            look="quiet"
            disabled={again.isBusy}
            onClick={() => void again.run('same')}
            title={t('again.same.title')}
          >
            {t('again.same')}
          </Button>
        )}
        <span aria-live="polite" className="text-sm text-muted">
          {again.isBusy && `${t(stepTexts[step])}…`}
        </span>
      </div>
      {again.error !== undefined && <ErrorNote error={again.error} />}
    </div>
  );
}
