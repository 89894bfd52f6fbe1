import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { modulesQuery } from '../../api/records.ts';
import { ErrorNote } from '../../components/error-note.tsx';
import { useText } from '../../i18n/text.ts';
import { Button } from '../../ui/button.tsx';
import { Card, EmptyState, Note, Skeleton } from '../../ui/surface.tsx';
import { visibleText } from '../../ui/visible-text.ts';
import { nameOf } from './address.ts';
import { CopyOffer } from './copy-offer.tsx';
import { FolderForm } from './folder-form.tsx';
import type { Failure, Inspection } from './inspection.ts';
import { ModuleList } from './module-list.tsx';
import { modulePathOf } from './module-path.ts';
import { ModuleProblems, Remedies } from './module-problems.tsx';
import { ReportStep } from './report-step.tsx';

type Props = {
  inspection: Inspection;
  snapshotId: string;
  commit: string | undefined;
  failure: Failure | undefined;
  onChoose: (modulePath: string | undefined) => void;
  onScope: (inspection: Inspection) => void;
};

/**
 * Modules of the snapshot. A single one is selected automatically; otherwise the user chooses one or names another
 * folder.
 */
export function ModuleStep({ inspection, snapshotId, commit, failure, onChoose, onScope }: Props) {
  const t = useText();
  const [isChoosing, setChoosing] = useState(false);
  const query = useQuery({ ...modulesQuery(inspection.sourceId, snapshotId), staleTime: Number.POSITIVE_INFINITY });
  if (query.isPending)
    return (
      <Card>
        <Skeleton />
      </Card>
    );
  if (query.isError) return <ErrorNote error={query.error} onAgain={() => void query.refetch()} />;
  const { modules } = query.data;
  const path = isChoosing ? undefined : modulePathOf(modules, inspection);
  if (path === undefined) {
    const choose = (chosen: string) => {
      setChoosing(false);
      onChoose(chosen);
    };
    return (
      <>
        {query.data.status === 'invalid' && (
          <ModuleProblems inspection={inspection} snapshotId={snapshotId} scan={query.data} onScope={onScope} />
        )}
        {query.data.status === 'ready' && modules.length === 0 && (
          <Card>
            <EmptyState title={t('install.noModules')} text={t('install.noModulesText')} />
          </Card>
        )}
        {modules.length > 0 && <ModuleList modules={modules} onChoose={choose} />}
        <FolderForm onChoose={choose} />
      </>
    );
  }
  return (
    <>
      <Card className="flex flex-wrap items-center justify-between gap-2 px-4 py-2.5">
        <p className="min-w-0 text-sm">
          <span className="text-muted">{t('install.module')}</span>{' '}
          <code className="font-semibold break-all">{path === '.' ? t('lane.top') : visibleText(path)}</code>
        </p>
        <Button
          onClick={() => {
            setChoosing(true);
            onChoose(undefined);
          }}
        >
          {t('install.chooseOther')}
        </Button>
      </Card>
      <ReportStep
        key={path}
        address={inspection.address}
        capsuleName={nameOf(inspection.address, path, inspection.sourceName)}
        sourceId={inspection.sourceId}
        snapshotId={snapshotId}
        modulePath={path}
        commit={commit}
        failure={failure}
        prefill={inspection.prefill}
        missing={<ModuleMissing path={path} isFromLink={inspection.prefill?.path === path} />}
        remedies={
          query.data.status === 'invalid' && <Remedies inspection={inspection} scan={query.data} onScope={onScope} />
        }
        copyOffer={<CopyOffer inspection={inspection} snapshotId={snapshotId} modulePath={path} />}
      />
    </>
  );
}

/** Shows that a path has no folder with configuration. When a link names it, no other module is used instead. */
const ModuleMissing = ({ path, isFromLink }: { path: string; isFromLink: boolean }) => {
  const t = useText();
  return (
    <Note tone="bad" title={t(isFromLink ? 'link.moduleMissing' : 'install.folderMissing')}>
      <code className="break-all">{visibleText(path)}</code>
      <p className="mt-1">{t(isFromLink ? 'link.moduleMissingText' : 'install.folderMissingText')}</p>
    </Note>
  );
};
