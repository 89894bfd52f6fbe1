import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { Capsule } from '#shared/capsules/contract';
import type { Source } from '#shared/sources/contract';
import type { CompatibilityReport } from '#shared/sources/report';
import { configOfCapsuleQuery, snapshotsQuery } from '../../../api/records.ts';
import { useSession } from '../../../api/session.tsx';
import type { Again } from '../../../api/use-again.ts';
import { findAppSignIn, ScopeTexts } from '../../../components/app-sign-in.tsx';
import { SnapshotCommitText } from '../../../components/code/commit-text.tsx';
import { HostLink } from '../../../components/code/host-link.tsx';
import { compatibilityTexts } from '../../../components/status-text.ts';
import { useText } from '../../../i18n/text.ts';
import { addressText } from '../../../ui/address.ts';
import { type Fact, Facts } from '../../../ui/facts.tsx';
import { FolderName, Lane } from '../../../ui/lane.tsx';
import { ShortId } from '../../../ui/short-id.tsx';
import { StatusBadge } from '../../../ui/status-badge.tsx';
import { Card } from '../../../ui/surface.tsx';
import { Since } from '../../../ui/time.tsx';
import { visibleText } from '../../../ui/visible-text.ts';
import { MoveVersion } from '../move-version.tsx';

type Props = {
  capsule: Capsule;
  source: Source | undefined;
  report: CompatibilityReport | undefined;
  again: Again;
};

/** Origin and status of a Capsule. */
export function AboutCapsule({ capsule, source, report, again }: Props) {
  const t = useText();
  const { data: config } = useQuery(configOfCapsuleQuery(capsule.id));
  const { data } = useSession();
  const signIn = config && findAppSignIn(config, [data?.workspace.policy ?? {}, config.policy ?? {}]);
  const items: (Fact | false)[] = [
    { term: 'Source', value: <SourceLine capsule={capsule} source={source} /> },
    { term: t('capsule.module'), value: <FolderName path={report?.modulePath ?? '.'} /> },
    { term: t('capsule.commit'), value: <Commit capsule={capsule} /> },
    capsule.runtimeSafety !== undefined && {
      term: t('capsule.safety'),
      value: <Safety safety={capsule.runtimeSafety} />,
    },
    capsule.compatibilityReportId !== undefined && {
      term: t('capsule.check'),
      value: report && <StatusBadge statusText={compatibilityTexts[report.level]} />,
    },
    signIn !== undefined && {
      term: t('appSignIn.title'),
      value: <ScopeTexts scopes={signIn.scopes} />,
    },
    { term: t('capsule.environment'), value: capsule.environment },
    { term: t('capsule.created'), value: <Since at={capsule.createdAt} /> },
    { term: 'ID', value: <ShortId id={capsule.id} what="ID" length={14} /> },
  ];
  return (
    <Card>
      <h2 className="border-b border-line px-4 py-2.5 font-semibold">{t('capsule.about')}</h2>
      <Facts items={items.filter((item) => item !== false)} />
      <MoveVersion capsule={capsule} again={again} className="border-t border-line px-4 py-3" />
    </Card>
  );
}

function SourceLine({ capsule, source }: { capsule: Capsule; source: Source | undefined }) {
  return (
    <>
      <Link to="/sources/$id" params={{ id: capsule.sourceId }} className="font-medium text-accent hover:underline">
        {source ? visibleText(source.name) : <code className="font-mono text-xs">{capsule.sourceId}</code>}
      </Link>
      <p className={`text-xs break-all text-muted ${source ? '' : 'min-h-8'}`}>{source && addressText(source.url)}</p>
    </>
  );
}

function Commit({ capsule: { sourceId, adoptedSourceRevision: adopted } }: { capsule: Capsule }) {
  const t = useText();
  if (!adopted) return <span className="text-muted">{t('capsule.commit.none')}</span>;
  return (
    <>
      <ShortId id={adopted.resolvedCommit} what={t('capsule.commit')} />
      <p className="text-xs break-words text-muted">
        <Lane of={adopted} />
      </p>
      {/* In the narrow column, the subject, author and time have three lines or more. */}
      <div className="min-h-6 lg:min-h-18">
        <SnapshotCommitText sourceId={sourceId} snapshotId={adopted.sourceSnapshotId} />
      </div>
      <p className="flex flex-col gap-0.5 text-xs">
        <HostLink sourceId={sourceId} to={({ commit }) => commit(adopted.resolvedCommit)} />
        <NewerCode sourceId={sourceId} from={adopted} />
      </p>
    </>
  );
}

/** Link to what changed between the applied commit and the newest one that was fetched of its ref. */
function NewerCode({ sourceId, from }: { sourceId: string; from: NonNullable<Capsule['adoptedSourceRevision']> }) {
  const t = useText();
  const snapshots = useInfiniteQuery(snapshotsQuery(sourceId)).data?.pages[0]?.snapshots;
  const newest = snapshots?.find(({ ref, path }) => ref === from.ref && path === from.path);
  if (newest === undefined || newest.resolvedCommit === from.resolvedCommit) return null;
  return (
    <Link
      to="/sources/$id"
      params={{ id: sourceId }}
      search={{ from: from.sourceSnapshotId, to: newest.id }}
      className="text-accent hover:underline"
    >
      {t('code.compare.open')}
    </Link>
  );
}

function Safety({ safety }: { safety: 'safe' | 'unknown' }) {
  const t = useText();
  return (
    <>
      <StatusBadge
        statusText={safety === 'safe' ? { text: 'safety.safe', tone: 'good' } : { text: 'safety.unknown', tone: 'bad' }}
      />
      <p className="mt-0.5 text-xs text-muted">{t(safety === 'safe' ? 'safety.safe.text' : 'safety.unknown.text')}</p>
    </>
  );
}
