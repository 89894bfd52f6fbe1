import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { isApplyType, isPlanType, type Run } from '#shared/runs/contract';
import type { FeedDiagnostic } from '#shared/runs/feed';
import { capsuleQuery } from '../../api/records.ts';
import type { RunFeed } from '../../api/run-feed.ts';
import { hasEnded } from '../../api/run-record.ts';
import { whenKnown } from '../../api/when-known.ts';
import { BackToForm } from '../../components/back-to-form.tsx';
import { DiscardCapsule } from '../../components/discard-capsule.tsx';
import { ChooseConnections, isCredentialCode } from '../../components/provider-bindings/stopped.tsx';
import { runErrorText } from '../../components/status-text.ts';
import { type TextId, useIsTranslated, useText } from '../../i18n/text.ts';
import { buttonClass } from '../../ui/button.tsx';
import { Note } from '../../ui/surface.tsx';
import { serverNow } from '../../ui/time.tsx';
import { visibleText } from '../../ui/visible-text.ts';
import { PlanAgain } from './plan-again.tsx';
import { reasonsOf } from './reasons.ts';
import type { Recovery } from './recovery/recovery.ts';
import { AdoptCommit } from './review/adopt-commit.tsx';

type Verdict = { tone: 'info' | 'warn' | 'bad'; title: TextId; text: TextId; isRetried: boolean };

const isTooOld = ({ planExpiresAt }: Run) => planExpiresAt !== undefined && Date.parse(planExpiresAt) <= serverNow();

/** Returns the reason why a computed plan cannot be applied; undefined when it can be, or was. */
function planVerdict(run: Run): Verdict | undefined {
  if (run.applyRunId !== undefined || run.awaits !== undefined) return undefined;
  if (run.superseded) {
    const text =
      run.superseded.reason === 'authority_epoch' ? 'run.verdict.supersededEpoch' : 'run.verdict.supersededState';
    return { tone: 'warn', title: 'run.verdict.superseded', text, isRetried: true };
  }
  if (run.obsoletedBy !== undefined)
    return { tone: 'warn', title: 'run.verdict.obsolete', text: 'run.verdict.obsoleteText', isRetried: false };
  if (run.type === 'drift_check') {
    return run.status === 'succeeded' ? driftVerdict(run) : undefined;
  }
  const isExpired = run.status === 'expired' || (run.status === 'succeeded' && isTooOld(run));
  if (isExpired)
    return { tone: 'warn', title: 'run.verdict.expired', text: 'run.verdict.expiredText', isRetried: true };
  if (run.hasChanges === false && run.status !== 'cancelled')
    return { tone: 'info', title: 'run.noChanges', text: 'run.verdict.noChangesText', isRetried: false };
  return undefined;
}

/** Returns the result of a drift check. A drift check never proposes changes. */
const driftVerdict = ({ driftCount }: Run): Verdict =>
  (driftCount ?? 0) > 0
    ? { tone: 'warn', title: 'drift.found', text: 'drift.foundText', isRetried: true }
    : { tone: 'info', title: 'drift.none', text: 'drift.noneText', isRetried: false };

function verdictOf(run: Run): Verdict | undefined {
  if (run.errorCode === 'apply_interrupted')
    return { tone: 'warn', title: 'run.verdict.interrupted', text: runErrorText(run.errorCode), isRetried: true };
  if (run.status === 'failed') {
    const text = run.errorCode ? runErrorText(run.errorCode) : 'run.verdict.failedText';
    return { tone: 'bad', title: 'run.verdict.failed', text, isRetried: true };
  }
  if (run.status === 'cancelled')
    return { tone: 'info', title: 'run.verdict.cancelled', text: 'run.verdict.cancelledText', isRetried: true };
  if (run.type === 'restore' && run.status === 'expired')
    return { tone: 'warn', title: 'restore.expired', text: 'restore.expired.text', isRetried: false };
  return isPlanType(run.type) ? planVerdict(run) : undefined;
}

type Props = { run: Run; feed: RunFeed };

/** Result of a Run that needs an explanation, with the next step. */
export function RunVerdict({ run, feed, recovery }: Props & { recovery: Recovery | undefined }) {
  const t = useText();
  const isTranslated = useIsTranslated();
  const verdict = verdictOf(run);
  if (run.applyRunId !== undefined && isPlanType(run.type)) return <Applied applyRunId={run.applyRunId} />;
  if (!verdict) return null;
  const reasons = recovery && recovery.cause !== 'other' ? [] : reasonsOf(feed.diagnostics, run);
  return (
    <div className="mb-4">
      <Note tone={verdict.tone} title={t(verdict.title, { count: run.driftCount ?? 0 })}>
        {(isTranslated || reasons.length === 0) && <p>{t(verdict.text)}</p>}
        <Reasons items={reasons} />
        {run.obsoletedBy !== undefined && <NewerPlan id={run.obsoletedBy} replaced={run} />}
        {verdict.title === 'run.noChanges' && <AdoptCommit run={run} />}
        {verdict.isRetried && !recovery && <NextActions run={run} />}
      </Note>
    </div>
  );
}

function NewerPlan({ id, replaced }: { id: string; replaced: Run }) {
  const t = useText();
  return (
    <p className="mt-2 flex flex-wrap gap-2">
      <Link to="/runs/$id" params={{ id }} className={buttonClass()}>
        {t('run.verdict.openNewer')}
      </Link>
      {replaced.planDigest !== undefined && (
        <Link to="/runs/$id" params={{ id }} search={{ tab: 'compare', with: replaced.id }} className={buttonClass()}>
          {t('compare.newer')}
        </Link>
      )}
    </p>
  );
}

/** The server's explanation of the failure, in English. */
const Reasons = ({ items }: { items: readonly FeedDiagnostic[] }) =>
  items.map(({ seq, message }) => (
    <p key={seq} lang="en" className="break-words">
      {visibleText(message)}
    </p>
  ));

function Applied({ applyRunId }: { applyRunId: string }) {
  const t = useText();
  return (
    <div className="mb-4">
      <Note>
        <div className="flex flex-wrap items-center justify-between gap-3">
          <span className="font-semibold">{t('run.verdict.applied')}</span>
          <Link to="/runs/$id" params={{ id: applyRunId }} className={buttonClass()}>
            {t('run.verdict.seeApply')}
          </Link>
        </div>
      </Note>
    </div>
  );
}

/** Next actions after a Run without a result to apply: plan again and, before the first apply, start over. */
export function NextActions({ run }: { run: Run }): ReactNode {
  const { capsuleId } = run;
  const capsule = useQuery(whenKnown(capsuleId, capsuleQuery)).data;
  const concernsCapsule = isPlanType(run.type) || isApplyType(run.type);
  if (!concernsCapsule || !hasEnded(run.status) || !capsule) return null;
  if (capsule.status === 'destroyed' || capsule.status === 'disabled') return null;
  return (
    <div className="mt-1 flex flex-wrap items-end gap-2">
      {isCredentialCode(run.errorCode) && <ChooseConnections capsuleId={capsule.id} />}
      <PlanAgain capsule={capsule} run={run} isMain={run.status !== 'succeeded' && !isCredentialCode(run.errorCode)} />
      {capsule.status === 'pending' && (
        <>
          <BackToForm capsule={capsule} />
          <DiscardCapsule capsule={capsule} />
        </>
      )}
    </div>
  );
}
