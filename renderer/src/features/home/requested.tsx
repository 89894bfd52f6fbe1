import { Link } from '@tanstack/react-router';
import type { RequestedPlan as Plan } from '#shared/notifications/contract';
import { CapsuleMarks } from '../../components/capsule-marks.tsx';
import { runTypeText } from '../../components/run-status.ts';
import { awaitsTexts } from '../../components/status-text.ts';
import { useWho } from '../../components/who.ts';
import { useText } from '../../i18n/text.ts';
import { ChangeCounts } from '../../ui/change-counts.tsx';
import { rowLinkClass } from '../../ui/data-table.tsx';
import { StatusBadge } from '../../ui/status-badge.tsx';
import { Since } from '../../ui/time.tsx';
import { visibleText } from '../../ui/visible-text.ts';
import { Line, Section } from './section.tsx';

/** Plans that a colleague asks the user to review. */
export function Requested({ runs }: { runs: readonly Plan[] }) {
  const t = useText();
  if (runs.length === 0) return null;
  return (
    <Section title={t('home.requested')} count={runs.length}>
      {runs.map((run) => (
        <RequestedPlan key={run.id} run={run} />
      ))}
    </Section>
  );
}

function RequestedPlan({ run }: { run: Plan }) {
  const t = useText();
  const who = useWho();
  const { approvalRequest } = run;
  return (
    <Line
      aside={
        <>
          {run.summary && <ChangeCounts counts={run.summary} />}
          <CapsuleMarks capsule={{ hold: run.hold ?? null }} />
          {run.awaits && <StatusBadge statusText={awaitsTexts[run.awaits]} />}
          <Since at={approvalRequest?.at ?? run.createdAt} />
        </>
      }
    >
      <Link to="/runs/$id" params={{ id: run.id }} data-row className={`${rowLinkClass} break-words`}>
        {t('home.plan.of', { type: t(runTypeText(run)), name: visibleText(run.capsuleName ?? '') })}
      </Link>{' '}
      <span className="text-xs text-muted">{run.environment}</span>
      {approvalRequest && (
        <p className="mt-0.5 break-words text-muted">
          {t('run.requestedBy', { name: who(approvalRequest.by) })}
          {approvalRequest.note !== undefined && (
            <>
              {' '}
              <q>{visibleText(approvalRequest.note)}</q>
            </>
          )}
        </p>
      )}
    </Line>
  );
}
