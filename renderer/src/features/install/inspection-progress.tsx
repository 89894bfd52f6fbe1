import { runErrorCodes } from '#shared/errors';
import type { Run } from '#shared/runs/contract';
import { useText } from '../../i18n/text.ts';
import { Spinner } from '../../ui/button.tsx';
import { Card, Note } from '../../ui/surface.tsx';
import { Elapsed } from '../../ui/time.tsx';
import { Diagnostics } from './diagnostics.tsx';
import type { Inspection } from './inspection.ts';
import { syncNextStep } from './next-step.ts';
import { PrivateRepository } from './private-repository.tsx';
import { useRunErrors } from './run-errors.ts';
import { RunLive } from './run-live.tsx';

type Props = { inspection: Inspection; run: Run | undefined; onInspect: (inspection: Inspection) => void };

/** Progress of the repository's sync, and the reason when it ended without a snapshot. */
export function InspectionProgress({ inspection, run, onInspect }: Props) {
  const t = useText();
  const hasFailed = run?.status === 'failed' || run?.status === 'cancelled';
  const code = runErrorCodes.find((one) => one === run?.errorCode);
  const errors = useRunErrors(hasFailed ? inspection.syncRunId : undefined);
  return (
    <div className="flex flex-col gap-4">
      {hasFailed ? (
        <Note tone="bad" title={t(run.status === 'cancelled' ? 'install.syncCancelled' : 'install.syncFailed')}>
          {errors.length > 0 && <Diagnostics diagnostics={errors} />}
          {code !== 'source_auth_failed' && <p className="mt-1">{t(syncNextStep(code, inspection.address.url))}</p>}
        </Note>
      ) : (
        <Card className="p-4">
          <p role="status" className="flex items-center gap-2 font-medium">
            <Spinner />
            {t(run?.status === 'queued' ? 'install.syncQueued' : 'install.syncing')}
            {run && (
              <span className="font-normal text-muted">
                <Elapsed from={Date.parse(run.startedAt ?? run.createdAt)} />
              </span>
            )}
          </p>
        </Card>
      )}
      {code === 'source_auth_failed' && <PrivateRepository inspection={inspection} onInspect={onInspect} />}
      <RunLive runId={inspection.syncRunId} title={t('install.log')} />
    </div>
  );
}
