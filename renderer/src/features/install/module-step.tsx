import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { modulesQuery } from '../../api/records.ts';
import { ErrorNote } from '../../components/error-note.tsx';
import { useText } from '../../i18n/text.ts';
import { Button } from '../../ui/button.tsx';
import { Card, EmptyState, Note, Skeleton } from '../../ui/surface.tsx';
import { visibleText } from '../../ui/visible-text.ts';
import { FolderForm } from './folder-form.tsx';
import type { Failure, Look } from './look.ts';
import { ModuleList } from './module-list.tsx';
import { modulePathOf } from './module-path.ts';
import { ModuleProblems, Remedies } from './module-problems.tsx';
import { ReportStep } from './report-step.tsx';

type Props = {
  look: Look;
  snapshotId: string;
  commit: string | undefined;
  failure: Failure | undefined;
  onChoose: (modulePath: string | undefined) => void;
  onScope: (look: Look) => void;
};

/** The modules of the snapshot: the only one is chosen, of several a person chooses, or names another folder. */
export function ModuleStep({ look, snapshotId, commit, failure, onChoose, onScope }: Props) {
  const t = useText();
  const [isChoosing, setChoosing] = useState(false);
  const found = useQuery({ ...modulesQuery(look.sourceId, snapshotId), staleTime: Number.POSITIVE_INFINITY });
  if (found.isPending)
    return (
      <Card>
        <Skeleton />
      </Card>
    );
  if (found.isError) return <ErrorNote error={found.error} onAgain={() => void found.refetch()} />;
  const { modules } = found.data;
  const path = isChoosing ? undefined : modulePathOf(modules, look);
  if (path === undefined) {
    const choose = (chosen: string) => {
      setChoosing(false);
      onChoose(chosen);
    };
    return (
      <>
        {found.data.status === 'invalid' && <ModuleProblems look={look} found={found.data} onScope={onScope} />}
        {found.data.status === 'ready' && modules.length === 0 && (
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
        address={look.address}
        sourceId={look.sourceId}
        snapshotId={snapshotId}
        modulePath={path}
        commit={commit}
        failure={failure}
        wishes={look.wishes}
        missing={<ModuleMissing path={path} isFromLink={look.wishes?.path === path} />}
        remedies={found.data.status === 'invalid' && <Remedies look={look} found={found.data} onScope={onScope} />}
      />
    </>
  );
}

/** Shows that no folder with configuration is at a path. Where a link names it, no other module takes its place. */
const ModuleMissing = ({ path, isFromLink }: { path: string; isFromLink: boolean }) => {
  const t = useText();
  return (
    <Note tone="bad" title={t(isFromLink ? 'link.moduleMissing' : 'install.folderMissing')}>
      <code className="break-all">{visibleText(path)}</code>
      <p className="mt-1">{t(isFromLink ? 'link.moduleMissingText' : 'install.folderMissingText')}</p>
    </Note>
  );
};
