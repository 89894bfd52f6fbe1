import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import {
  ArrowRight,
  Boxes,
  Clock,
  GitBranch,
  GitCommitHorizontal,
  Layers,
  Server,
  Timer,
  User,
  Wrench,
} from 'lucide-react';
import type { ReactNode } from 'react';
import type { WorkspacePool } from '#shared/runner-pools/contract';
import { isApplyType, isPlanType, localPool, type Run } from '#shared/runs/contract';
import { workEndOf } from '#shared/runs/work-end';
import { capsuleQuery, runQuery, sourceQuery } from '../../api/records.ts';
import { hasEnded } from '../../api/run-record.ts';
import { workspacePoolsQuery } from '../../api/runner-pools.ts';
import { whenKnown } from '../../api/when-known.ts';
import { CapsuleMarks } from '../../components/capsule-marks.tsx';
import { SnapshotCommitText } from '../../components/code/commit-text.tsx';
import { HostLink } from '../../components/code/host-link.tsx';
import { lacksToolOf, poolWaitOf } from '../../components/pool-wait.ts';
import { runStatusText, runTypeText } from '../../components/run-status.ts';
import { toolNames } from '../../components/status-text.ts';
import { useWho } from '../../components/who.ts';
import { useText } from '../../i18n/text.ts';
import { ShortId } from '../../ui/short-id.tsx';
import { StatusBadge } from '../../ui/status-badge.tsx';
import { PageTitle } from '../../ui/surface.tsx';
import { Elapsed, Since } from '../../ui/time.tsx';
import { visibleText } from '../../ui/visible-text.ts';
import { ApprovalRequest, RunApproval } from './approval.tsx';

const Fact = ({ icon: Icon, children }: { icon: typeof Clock; children: ReactNode }) => (
  <span className="inline-flex min-w-0 items-center gap-1.5">
    <Icon size={14} aria-hidden="true" className="shrink-0" />
    <span className="min-w-0 break-words">{children}</span>
  </span>
);

/** Header of a Run: type, status, actor, time and Capsule. */
export function RunHeader({ run, actions }: { run: Run; actions?: ReactNode }) {
  const t = useText();
  const type = t(runTypeText(run));
  const isOfSource = run.capsuleName === undefined && run.sourceId !== undefined;
  const source = useQuery(whenKnown(isOfSource ? run.sourceId : undefined, sourceQuery)).data;
  const name = run.capsuleName ?? source?.name;
  const title = name === undefined ? type : t('run.title', { type, name: visibleText(name) });
  return (
    <PageTitle
      title={title}
      actions={actions}
      haveActionsRow
      lead={
        <div className="flex flex-col gap-1.5 text-sm">
          <div className="flex flex-wrap items-center gap-x-4 gap-y-1">
            <RunStatus run={run} />
            <RunFacts run={run} />
          </div>
          {run.rollbackStateVersionId !== undefined && <p>{t('run.rollback.text')}</p>}
          {run.status === 'queued' && run.runnerPoolId !== localPool && <PoolWait run={run} />}
          <ApprovalRequest run={run} />
          <RunApproval run={run} />
          <RunCommit run={run} />
          <RunLinks run={run} />
        </div>
      }
    />
  );
}

/** Status of a Run, announced to screen readers when it changes. */
const RunStatus = ({ run }: { run: Run }) => (
  <span aria-live="polite" className="inline-flex">
    <StatusBadge statusText={runStatusText(run)} />
  </span>
);

function RunFacts({ run }: { run: Run }) {
  const t = useText();
  const who = useWho();
  const { resolvedCommit, toolName, startedAt } = run;
  const end = run.status === 'running' ? undefined : workEndOf(run);
  return (
    <>
      <Fact icon={User}>{who(run.createdBy, run.trigger)}</Fact>
      <Fact icon={Clock}>
        <Since at={run.createdAt} />
      </Fact>
      {resolvedCommit !== undefined && (
        <Fact icon={GitCommitHorizontal}>
          {run.ref !== undefined && run.ref !== 'HEAD' && `${visibleText(run.ref)} @ `}
          <ShortId id={resolvedCommit} what={t('run.commit')} />
        </Fact>
      )}
      {toolName && (
        <Fact icon={Wrench}>
          {toolNames[toolName]} {run.toolVersion !== undefined && visibleText(run.toolVersion)}
        </Fact>
      )}
      {run.runnerPoolId !== localPool && <RunPool run={run} />}
      {/* Last, because their width changes while the Run is at work. */}
      {run.status === 'queued' && (
        <Fact icon={Timer}>
          {t('run.waitingFor')} <Elapsed from={Date.parse(run.createdAt)} />
        </Fact>
      )}
      {startedAt !== undefined && (end !== undefined || run.status === 'running') && (
        <Fact icon={Timer}>
          <span className="sr-only">{t('run.took')} </span>
          <Elapsed from={Date.parse(startedAt)} to={end} />
        </Fact>
      )}
    </>
  );
}

const usePoolOf = ({ workspaceId, runnerPoolId }: Run): WorkspacePool | undefined =>
  useQuery(workspacePoolsQuery(workspaceId)).data?.find(({ id }) => id === runnerPoolId);

/** Pool of a Run, by its name where the Workspace knows it. */
function RunPool({ run }: { run: Run }) {
  const t = useText();
  const name = usePoolOf(run)?.name ?? run.runnerPoolId;
  return <Fact icon={Server}>{t('run.pool', { name: visibleText(name) })}</Fact>;
}

/** Says why a Run waits in a pool of which no machine can start it. */
function PoolWait({ run }: { run: Run }) {
  const t = useText();
  const pool = usePoolOf(run);
  const plan = useQuery(whenKnown(isApplyType(run.type) ? run.planRunId : undefined, runQuery)).data;
  const wait = poolWaitOf(pool);
  if (wait) return <p role="status">{t(`run.pool.${wait}`)}</p>;
  if (plan?.toolName === undefined || !lacksToolOf(pool, plan)) return null;
  const tool = `${toolNames[plan.toolName]} ${visibleText(plan.toolVersion ?? '')}`;
  return <p role="status">{t('run.pool.tool', { tool })}</p>;
}

/** Texts of the commit of a Run, and its page on the code host. */
function RunCommit({ run: { sourceId, sourceSnapshotId, resolvedCommit } }: { run: Run }) {
  if (sourceId === undefined || sourceSnapshotId === undefined || resolvedCommit === undefined) return null;
  return (
    <div className="flex min-h-6 min-w-0 flex-wrap items-start gap-x-4 gap-y-1">
      <SnapshotCommitText sourceId={sourceId} snapshotId={sourceSnapshotId} />
      <HostLink sourceId={sourceId} to={({ commit }) => commit(resolvedCommit)} />
    </div>
  );
}

const linkClass = 'inline-flex min-w-0 items-center gap-1.5 text-accent underline-offset-2 hover:underline';

function RunLinks({ run }: { run: Run }) {
  const t = useText();
  const { capsuleId, sourceId, planRunId, applyRunId, runGroupId } = run;
  const hold = useQuery(whenKnown(capsuleId, capsuleQuery)).data?.hold;
  return (
    <div className="flex flex-wrap items-center gap-x-4 gap-y-1">
      {runGroupId !== undefined && (
        <Link to="/run-groups/$id" params={{ id: runGroupId }} className={linkClass}>
          <Layers size={14} aria-hidden="true" /> {t('group.link')}
        </Link>
      )}
      {capsuleId !== undefined && (
        <Link to="/capsules/$id" params={{ id: capsuleId }} className={linkClass}>
          <Boxes size={14} aria-hidden="true" /> Capsule
          {run.capsuleName !== undefined && ` ${visibleText(run.capsuleName)}`}
          {run.environment !== undefined && run.environment !== 'default' && ` (${visibleText(run.environment)})`}
        </Link>
      )}
      {hold && <CapsuleMarks capsule={{ hold }} />}
      {sourceId !== undefined && (
        <Link to="/sources/$id" params={{ id: sourceId }} className={linkClass}>
          <GitBranch size={14} aria-hidden="true" /> Source
        </Link>
      )}
      {planRunId !== undefined && isApplyType(run.type) && (
        <Link to="/runs/$id" params={{ id: planRunId }} className={linkClass}>
          <ArrowRight size={14} aria-hidden="true" /> {t('run.itsPlan')}
        </Link>
      )}
      {applyRunId !== undefined && isPlanType(run.type) && (
        <Link to="/runs/$id" params={{ id: applyRunId }} className={linkClass}>
          <ArrowRight size={14} aria-hidden="true" /> {t('run.itsApply')}
        </Link>
      )}
      {!hasEnded(run.status) && run.status === 'running' && <span className="sr-only">{t('run.live')}</span>}
    </div>
  );
}
