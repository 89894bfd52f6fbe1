import { useQuery } from '@tanstack/react-query';
import type { CompatibilityReport } from '#shared/sources/report';
import { ApiError, api } from '../../api/client.ts';
import { isWorthWarning } from '../../api/module-code.ts';
import { useRunner } from '../../api/runner.ts';
import { compatibilityWords } from '../../api/words.ts';
import { useText } from '../../i18n/text.ts';
import { ErrorNote } from '../../ui/error-note.tsx';
import { Findings } from '../../ui/findings.tsx';
import { RunsWarning } from '../../ui/how-it-runs.tsx';
import { Card, Note, Skeleton } from '../../ui/surface.tsx';
import type { Address } from './address.ts';
import { useArrivalFocus } from './arrival-focus.ts';
import { InstallForm } from './inputs/install-form.tsx';
import type { Failure } from './look.ts';
import { ReportAside } from './report-aside.tsx';

type Place = { sourceId: string; snapshotId: string; modulePath: string };
type Props = Place & { address: Address; failure: Failure | undefined };

const storedKey = ({ snapshotId, modulePath }: Place): string => `install.report:${snapshotId}:${modulePath}`;

/** The report that this tab has asked for before, else a new one: every check leaves a Run in the ledger. */
async function loadReport(place: Place): Promise<CompatibilityReport> {
  const known = sessionStorage.getItem(storedKey(place));
  if (known !== null) {
    try {
      return (await api.getReport({ params: { reportId: known } })).body.report;
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
    }
  }
  const { body } = await api.checkCompatibility({
    params: { sourceId: place.sourceId },
    body: { sourceSnapshotId: place.snapshotId, modulePath: place.modulePath },
  });
  sessionStorage.setItem(storedKey(place), body.report.id);
  return body.report;
}

/** What the chosen module is and needs; its inputs when it can be planned. */
export function ReportStep({ address, failure, ...place }: Props) {
  const t = useText();
  const runner = useRunner();
  const report = useQuery({
    queryKey: ['install_report', place.snapshotId, place.modulePath],
    queryFn: () => loadReport(place),
    staleTime: Number.POSITIVE_INFINITY,
  });
  if (report.isPending)
    return (
      <Card>
        <p role="status" className="sr-only">
          {t('install.checking')}
        </p>
        <Skeleton lines={5} />
      </Card>
    );
  if (report.isError) return <ErrorNote error={report.error} onAgain={() => void report.refetch()} />;
  const isWarned = runner !== undefined && isWorthWarning(report.data, runner);
  return (
    <div className="grid items-start gap-4 lg:grid-cols-[minmax(0,1fr)_19rem]">
      <div className="flex min-w-0 flex-col gap-4">
        {report.data.level === 'ready' ? (
          <>
            {isWarned && runner && <RunsWarning report={report.data} runner={runner} />}
            <InstallForm address={address} report={report.data} failure={failure} />
          </>
        ) : (
          <NotReady report={report.data} />
        )}
      </div>
      <ReportAside report={report.data} runner={isWarned ? undefined : runner} />
    </div>
  );
}

function NotReady({ report }: { report: CompatibilityReport }) {
  const t = useText();
  const heading = useArrivalFocus<HTMLDivElement>();
  const blocking = report.findings.filter(({ compatibilityImpact }) => compatibilityImpact !== 'none');
  return (
    <Card className="p-4">
      <div ref={heading} tabIndex={-1} className="outline-none">
        <Note tone="bad" title={t(compatibilityWords[report.level].text)}>
          {t('install.notReadyText')}
        </Note>
      </div>
      <div className="mt-3">
        <Findings findings={blocking} />
      </div>
    </Card>
  );
}
