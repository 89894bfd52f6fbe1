import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { remoteCallsOf } from '#shared/sources/remote-call';
import type { CompatibilityReport } from '#shared/sources/report';
import { ApiError } from '../../api/client.ts';
import { isWorthWarning } from '../../api/module-code.ts';
import { usePlanRunner } from '../../api/plan-runner.ts';
import { useWorkspaceId } from '../../api/session.tsx';
import { ErrorNote } from '../../components/error-note.tsx';
import { RunsWarning } from '../../components/how-it-runs.tsx';
import { compatibilityTexts } from '../../components/status-text.ts';
import { useText } from '../../i18n/text.ts';
import { Findings } from '../../ui/findings.tsx';
import { Card, Note, Skeleton } from '../../ui/surface.tsx';
import type { Address } from './address.ts';
import { useArrivalFocus } from './arrival-focus.ts';
import { loadChecked, type ModuleLocation } from './checked.ts';
import { InstallForm } from './inputs/install-form.tsx';
import type { Failure, Prefill } from './inspection.ts';
import { findRefusal, ManifestLine, ManifestRefusal } from './manifest-status.tsx';
import { RemoteCalls } from './remote-calls.tsx';
import { ReportAside } from './report-aside.tsx';

type Props = ModuleLocation & {
  address: Address;
  /** Default name of the Capsule. */
  capsuleName: string;
  /** The inspected commit. */
  commit: string | undefined;
  failure: Failure | undefined;
  prefill: Prefill | undefined;
  /** Content that replaces the report when the snapshot has no module at this path. */
  missing: ReactNode;
  /** Content below the findings of a module that cannot be planned. */
  remedies: ReactNode;
  /** Way on for a module that calls modules elsewhere. */
  copyOffer: ReactNode;
};

/** Describes the chosen module and its requirements, with its inputs when it can be planned. */
export function ReportStep({
  address,
  capsuleName,
  commit,
  failure,
  prefill,
  missing,
  remedies,
  copyOffer,
  ...moduleLocation
}: Props) {
  const t = useText();
  const runner = usePlanRunner();
  const workspaceId = useWorkspaceId();
  const checked = useQuery({
    queryKey: ['install_report', moduleLocation.snapshotId, moduleLocation.modulePath],
    queryFn: () =>
      loadChecked(moduleLocation, {
        workspaceId,
        path: address.path,
        capsuleName,
      }),
    staleTime: Number.POSITIVE_INFINITY,
  });
  if (checked.isPending)
    return (
      <Card>
        <p role="status" className="sr-only">
          {t('install.checking')}
        </p>
        <Skeleton lines={5} />
      </Card>
    );
  if (checked.isError && isMissing(checked.error)) return missing;
  if (checked.isError) return <ErrorNote error={checked.error} onAgain={() => void checked.refetch()} />;
  const { report, ux, config } = checked.data;
  const isBuilt = config?.sourceBuild !== undefined;
  const refusal = findRefusal(ux);
  const isWarned = runner !== undefined && isWorthWarning(report, runner);
  return (
    <div className="grid items-start gap-4 lg:grid-cols-[minmax(0,1fr)_19rem]">
      <div className="flex min-w-0 flex-col gap-4">
        {report.level === 'ready' ? (
          <>
            {isWarned && runner && <RunsWarning report={report} runner={runner} isBuilt={isBuilt} />}
            {refusal ? (
              <ManifestRefusal ux={refusal} sourceId={moduleLocation.sourceId} />
            ) : (
              <>
                <ManifestLine ux={ux} sourceId={moduleLocation.sourceId} config={config} />
                <InstallForm
                  address={address}
                  capsuleName={capsuleName}
                  checked={checked.data}
                  commit={commit}
                  failure={failure}
                  prefill={prefill}
                />
              </>
            )}
          </>
        ) : (
          <NotReady report={report} remedies={remedies} copyOffer={copyOffer} />
        )}
      </div>
      <ReportAside report={report} runner={isWarned ? undefined : runner} isBuilt={isBuilt} />
    </div>
  );
}

const isMissing = (error: unknown): boolean =>
  error instanceof ApiError && error.details['reason'] === 'module_path_not_found';

function NotReady({
  report,
  remedies,
  copyOffer,
}: Pick<Props, 'remedies' | 'copyOffer'> & { report: CompatibilityReport }) {
  const t = useText();
  const heading = useArrivalFocus<HTMLDivElement>();
  const blocking = report.findings.filter(({ compatibilityImpact }) => compatibilityImpact !== 'none');
  const calls = remoteCallsOf(blocking);
  const others = calls.length > 0 ? blocking.filter(({ code }) => code !== 'remote_module_source') : blocking;
  return (
    <Card className="p-4">
      <div ref={heading} tabIndex={-1} className="outline-none">
        <Note tone="bad" title={t(compatibilityTexts[report.level].text)}>
          {t(calls.length > 0 && others.length === 0 ? 'copies.refused' : 'install.notReadyText')}
        </Note>
      </div>
      <div className="mt-3 flex flex-col gap-4">
        {others.length > 0 && <Findings findings={others} />}
        {calls.length > 0 && <RemoteCalls calls={calls} />}
        {calls.length > 0 && copyOffer}
      </div>
      {remedies && <div className="mt-4">{remedies}</div>}
    </Card>
  );
}
