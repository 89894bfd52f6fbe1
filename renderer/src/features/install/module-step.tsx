import { useQuery } from '@tanstack/react-query';
import type { InstallModule } from '#shared/sources/module-scan';
import { modulesQuery } from '../../api/records.ts';
import { ErrorNote } from '../../components/error-note.tsx';
import { useText } from '../../i18n/text.ts';
import { Button } from '../../ui/button.tsx';
import { Card, EmptyState, Note, Skeleton } from '../../ui/surface.tsx';
import { visibleText } from '../../ui/visible-text.ts';
import type { Failure, Look } from './look.ts';
import { ModuleList } from './module-list.tsx';
import { ModuleProblems } from './module-problems.tsx';
import { ReportStep } from './report-step.tsx';

type Props = {
  look: Look;
  snapshotId: string;
  commit: string | undefined;
  failure: Failure | undefined;
  onChoose: (modulePath: string | undefined) => void;
  onScope: (look: Look) => void;
};

/** The modules of the snapshot: one is chosen by itself, of several a person chooses. */
export function ModuleStep({ look, snapshotId, commit, failure, onChoose, onScope }: Props) {
  const t = useText();
  const found = useQuery({ ...modulesQuery(look.sourceId, snapshotId), staleTime: Number.POSITIVE_INFINITY });
  if (found.isPending)
    return (
      <Card>
        <Skeleton />
      </Card>
    );
  if (found.isError) return <ErrorNote error={found.error} onAgain={() => void found.refetch()} />;
  if (found.data.status === 'invalid') return <ModuleProblems look={look} found={found.data} onScope={onScope} />;
  const { modules } = found.data;
  if (modules.length === 0)
    return (
      <Card>
        <EmptyState title={t('install.noModules')} text={t('install.noModulesText')} />
      </Card>
    );
  const asked = look.wishes?.path;
  if (asked !== undefined && !modules.some(({ path }) => path === asked)) return <NotThere path={asked} />;
  const chosen = chosenOf(modules, look.modulePath ?? asked);
  if (!chosen) return <ModuleList modules={modules} onChoose={onChoose} />;
  return (
    <>
      {modules.length > 1 && (
        <Card className="flex flex-wrap items-center justify-between gap-2 px-4 py-2.5">
          <p className="min-w-0 text-sm">
            <span className="text-muted">{t('install.module')}</span>{' '}
            <code className="font-semibold break-all">{pathText(chosen, t('lane.top'))}</code>
          </p>
          <Button onClick={() => onChoose(undefined)}>{t('install.chooseOther')}</Button>
        </Card>
      )}
      <ReportStep
        key={chosen.path}
        address={look.address}
        sourceId={look.sourceId}
        snapshotId={snapshotId}
        modulePath={chosen.path}
        commit={commit}
        failure={failure}
        wishes={look.wishes}
      />
    </>
  );
}

/** A link names one module; where that is not, no other takes its place. */
const NotThere = ({ path }: { path: string }) => {
  const t = useText();
  return (
    <Note tone="bad" title={t('link.moduleMissing')}>
      <code className="break-all">{visibleText(path)}</code>
      <p className="mt-1">{t('link.moduleMissingText')}</p>
    </Note>
  );
};

const chosenOf = (modules: readonly InstallModule[], path: string | undefined) =>
  modules.length === 1 ? modules[0] : modules.find((one) => one.path === path);

const pathText = ({ path }: InstallModule, root: string): string => (path === '.' ? root : visibleText(path));
