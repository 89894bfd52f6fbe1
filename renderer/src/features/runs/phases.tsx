import { Check, CircleSlash, Recycle, X } from 'lucide-react';
import type { Run } from '#shared/runs/contract';
import { phases as knownPhases, type Phase } from '#shared/runs/feed';
import { type SyncPhase, syncPhases } from '#shared/sources/contract';
import type { PhaseView, RunFeed } from '../../api/run-feed.ts';
import { hasEnded } from '../../api/run-record.ts';
import { useText } from '../../i18n/text.ts';
import { Spinner } from '../../ui/button.tsx';
import { Elapsed } from '../../ui/time.tsx';

type State = 'running' | 'done' | 'reused' | 'failed' | 'stopped';
/** `phase` is the section of the log to open. */
type Shown = { phase: Phase; name?: SyncPhase; state: State; startedAt: number; finishedAt?: number };

const stateStyles: Record<State, { icon: typeof Check | undefined; tone: string }> = {
  running: { icon: undefined, tone: 'text-accent' },
  done: { icon: Check, tone: 'text-good' },
  reused: { icon: Recycle, tone: 'text-muted' },
  failed: { icon: X, tone: 'text-bad' },
  stopped: { icon: CircleSlash, tone: 'text-muted' },
};

/** Returns the phases in the record of an ended Run, used until the stream has reported any. */
function recordedPhases(run: Run): PhaseView[] {
  return (run.phaseTimings ?? []).flatMap(({ phase, startedAt, finishedAt }) => {
    const known = knownPhases.find((one) => one === phase);
    if (!known) return [];
    const state = finishedAt === undefined ? ('started' as const) : ('finished' as const);
    const end = finishedAt === undefined ? {} : { finishedAt: Date.parse(finishedAt) };
    return [{ phase: known, state, startedAt: Date.parse(startedAt), ...end }];
  });
}

/** Reports whether a finished phase is the one that failed: the tool and the actions finish theirs even then. */
function hasFailedIn(phase: Phase, { errorCode }: Run): boolean {
  if (phase === 'lifecycle') return errorCode === 'capsule_lifecycle_action_failed';
  return phase === 'apply' && (errorCode === 'apply_failed' || errorCode === 'apply_interrupted');
}

/** A phase that was not finished when the Run ended is where the Run stopped. */
function shownPhase(view: PhaseView, run: Run): Shown {
  const { phase, startedAt, finishedAt } = view;
  if (view.state !== 'started') {
    const end = finishedAt === undefined ? {} : { finishedAt };
    const done = hasFailedIn(phase, run) ? 'failed' : 'done';
    return { phase, state: view.state === 'reused' ? 'reused' : done, startedAt, ...end };
  }
  if (!hasEnded(run.status) && run.status !== 'waiting_approval') return { phase, state: 'running', startedAt };
  const end = run.finishedAt === undefined ? startedAt : Date.parse(run.finishedAt);
  return { phase, state: run.status === 'failed' ? 'failed' : 'stopped', startedAt, finishedAt: end };
}

/** Phases of a successful sync, which the log combines into one. */
function syncPhasesOf({ type, phaseTimings = [] }: Run): Shown[] | undefined {
  if (type !== 'source_sync') return undefined;
  const shown = phaseTimings.flatMap(({ phase, startedAt, finishedAt = startedAt }): Shown[] => {
    const name = syncPhases.find((one) => one === phase);
    const times = { startedAt: Date.parse(startedAt), finishedAt: Date.parse(finishedAt) };
    return name ? [{ phase: 'source', name, state: 'done', ...times }] : [];
  });
  return shown.length > 0 ? shown : undefined;
}

type Props = { run: Run; feed: RunFeed; onOpen: (phase: Phase) => void };

/** Phases of a Run in order, each with its duration on the server's clock and a link to its section of the log. */
export function Phases({ run, feed, onOpen }: Props) {
  const t = useText();
  const views = feed.phases.length > 0 ? feed.phases : recordedPhases(run);
  const shown = syncPhasesOf(run) ?? views.map((view) => shownPhase(view, run));
  // Space is reserved for the first phase, so that the page below does not move when it begins.
  if (shown.length === 0) return hasEnded(run.status) ? null : <div className="mb-4 h-[calc(2rem+2px)]" />;
  return (
    <ol aria-label={t('run.phases')} className="mb-4 flex flex-wrap gap-1.5">
      {shown.map(({ phase, state, startedAt, finishedAt, name = phase }) => {
        const { icon: Icon, tone } = stateStyles[state];
        return (
          <li key={name} aria-current={state === 'running' ? 'step' : undefined}>
            <button
              type="button"
              onClick={() => onOpen(phase)}
              title={t('run.phase.open')}
              className={`flex cursor-pointer items-center gap-2 rounded-md border bg-card px-2.5 py-1 hover:bg-raised ${state === 'failed' ? 'border-bad/50' : 'border-line'}`}
            >
              <span className={`flex size-4 items-center justify-center ${tone}`}>
                {Icon ? <Icon size={15} aria-hidden="true" /> : <Spinner />}
              </span>
              <span className="font-medium">{t(`run.phase.${name}`)}</span>
              <span className="sr-only">{t(`run.phaseState.${state}`)}</span>
              <span className="text-xs text-muted">
                {state === 'reused' ? (
                  <span aria-hidden="true">{t('run.phaseState.reused')}</span>
                ) : (
                  <Elapsed from={startedAt} to={finishedAt} />
                )}
              </span>
            </button>
          </li>
        );
      })}
    </ol>
  );
}
