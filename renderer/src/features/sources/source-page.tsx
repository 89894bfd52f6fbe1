import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type RefObject, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import type { Source, SourceSnapshot } from '#shared/sources/contract';
import { copyIdOf } from '#shared/sources/copy-address';
import { isAwaited } from '../../api/awaited.ts';
import { snapshotsQuery, sourceQuery } from '../../api/records.ts';
import { useMay } from '../../api/role.ts';
import { Allowed } from '../../components/allowed.tsx';
import { ErrorNote } from '../../components/error-note.tsx';
import { PageError } from '../../components/page-error.tsx';
import { sourceStatusTexts } from '../../components/status-text.ts';
import { useText } from '../../i18n/text.ts';
import { Button, buttonClass } from '../../ui/button.tsx';
import { StatusBadge } from '../../ui/status-badge.tsx';
import { Note, PageTitle, Skeleton } from '../../ui/surface.tsx';
import { visibleText } from '../../ui/visible-text.ts';
import { AboutSource } from './about.tsx';
import { AccessPrompt } from './access.tsx';
import { SourceCapsules } from './capsules.tsx';
import { CompareSnapshots } from './compare-snapshots.tsx';
import { DeleteSource } from './delete-source.tsx';
import { EditSource } from './edit.tsx';
import { SourceModules } from './modules.tsx';
import type { SourceSearch } from './search.ts';
import { SourceSnapshots } from './snapshots.tsx';
import { useSwitch } from './switch.ts';
import { SyncPanel } from './sync-panel.tsx';
import { useSync } from './use-sync.ts';
import { WatchSource } from './watching.tsx';

/** Page of a Source: address, snapshots and modules. */
export function SourcePage({ id, search }: { id: string; search: SourceSearch }) {
  const source = useQuery(sourceQuery(id));
  if (source.isPending) return <Skeleton lines={6} />;
  if (!source.data) return <PageError error={source.error} onAgain={() => void source.refetch()} />;
  return <SourceView key={id} source={source.data} search={search} />;
}

function SourceView({ source, search }: { source: Source; search: SourceSearch }) {
  const t = useText();
  const [isEditing, setEditing] = useState(false);
  const editButton = useRef<HTMLButtonElement>(null);
  const endEditing = () => {
    flushSync(() => setEditing(false));
    editButton.current?.focus();
  };
  const sync = useSync(source);
  const copyId = copyIdOf(source.url);
  const snapshots = useInfiniteQuery(snapshotsQuery(source.id));
  const newest = newestOf(source, snapshots.data?.pages[0]?.snapshots ?? []);
  const known = snapshots.data?.pages.flatMap((page) => page.snapshots) ?? [];
  return (
    <>
      <PageTitle
        title={visibleText(source.name)}
        lead={
          <span className="flex flex-wrap items-center gap-2">
            Source <StatusBadge statusText={sourceStatusTexts[source.status]} />
          </span>
        }
        actions={
          <Actions
            source={source}
            sync={sync}
            canDelete={snapshots.isSuccess && newest === undefined && !sync.isRunning}
            onEdit={() => setEditing(true)}
            isEditing={isEditing}
            editButton={editButton}
          />
        }
      />
      <div className="mb-4 flex flex-col gap-3 empty:hidden">
        {copyId !== undefined && <OfCopy copyId={copyId} />}
        {source.status === 'disabled' && <Note title={t('source.disabled.title')}>{t('source.disabled.text')}</Note>}
        <SyncPanel source={source} sync={sync} />
        {needsAccess(source, sync) && (
          <Allowed to="updateSource">
            <AccessPrompt source={source} onUsed={() => void sync.start()} />
          </Allowed>
        )}
      </div>
      <div className="grid items-start gap-4 lg:grid-cols-[minmax(0,1fr)_21rem]">
        <div className="flex min-w-0 flex-col gap-4">
          {newest && <SourceModules source={source} snapshot={newest} />}
          {/* The modules of the newest snapshot are above, so the rest loads hidden until it is known. */}
          <div className={isAwaited(snapshots) ? 'hidden' : 'flex min-w-0 flex-col gap-4'}>
            <SourceCapsules sourceId={source.id} />
            <CompareSnapshots sourceId={source.id} snapshots={known} search={search} />
            <SourceSnapshots pages={snapshots} sourceStatus={source.status} />
          </div>
        </div>
        <div className="flex min-w-0 flex-col gap-4">
          {isEditing ? <EditSource source={source} onDone={endEditing} /> : <AboutSource source={source} />}
          {copyId === undefined && <WatchSource source={source} newest={sync.newest} />}
        </div>
      </div>
    </>
  );
}

function OfCopy({ copyId }: { copyId: string }) {
  const t = useText();
  return (
    <Note title={t('copy.sourceNote.title')}>
      <p>{t('copy.sourceNote.text')}</p>
      <Link to="/copies/$id" params={{ id: copyId }} className={`${buttonClass()} mt-2`}>
        {t('copy.open')}
      </Link>
    </Note>
  );
}

/** Returns the newest snapshot of the default address, because lanes of Capsules are synced too. */
const newestOf = ({ defaultRef, defaultPath }: Source, snapshots: readonly SourceSnapshot[]) =>
  snapshots.find(({ ref, path }) => ref === defaultRef && path === defaultPath) ?? snapshots[0];

/** True when the last sync ended because the host asks for a sign-in, and no other one is running. */
const needsAccess = (source: Source, { newest, isBusy, isRunning }: ReturnType<typeof useSync>): boolean =>
  source.status !== 'disabled' && !isBusy && !isRunning && newest?.errorCode === 'source_auth_failed';

type ActionProps = {
  source: Source;
  sync: ReturnType<typeof useSync>;
  /** True when the Source has no snapshot, and so no Capsule. */
  canDelete: boolean;
  isEditing: boolean;
  onEdit: () => void;
  editButton: RefObject<HTMLButtonElement | null>;
};

function Actions({ source, sync, canDelete, isEditing, onEdit, editButton }: ActionProps) {
  const t = useText();
  const toggle = useSwitch(source);
  const may = useMay();
  const isOff = source.status === 'disabled';
  return (
    <div className="flex flex-col items-end gap-2">
      <div className="flex flex-wrap gap-2">
        <Allowed to="updateSource">
          <Button ref={editButton} onClick={onEdit} disabled={isEditing}>
            {t('source.edit')}
          </Button>
          <Button busy={toggle.isBusy} onClick={() => void toggle.run()}>
            {t(isOff ? 'source.enable' : 'source.disable')}
          </Button>
          {canDelete && <DeleteSource source={source} />}
        </Allowed>
        {!isOff && may('syncSource') && (
          <Button variant="primary" busy={sync.isBusy || sync.isRunning} onClick={() => void sync.start()}>
            {t('source.sync')}
          </Button>
        )}
      </div>
      {toggle.error !== undefined && <ErrorNote error={toggle.error} />}
    </div>
  );
}
