import { useQuery } from '@tanstack/react-query';
import { Check, CircleX } from 'lucide-react';
import { useLayoutEffect, useRef } from 'react';
import type { Run } from '#shared/runs/contract';
import type { LogEntry } from '#shared/runs/feed';
import { runQuery } from '../../api/records.ts';
import type { PhaseView } from '../../api/run-feed.ts';
import { useRunFeed } from '../../api/run-stream.ts';
import { useText } from '../../i18n/text.ts';
import { Spinner } from '../../ui/button.tsx';
import { Card } from '../../ui/surface.tsx';
import { Elapsed } from '../../ui/time.tsx';
import { visibleLine } from '../../ui/visible-text.ts';

const shownLines = 200;

/**
 * Phases with their timers and the last lines of a Run, once it has reported any. The full log is on the page of the
 * Run.
 */
export function RunLive({ runId, title }: { runId: string; title: string }) {
  const run = useQuery(runQuery(runId)).data;
  return run ? <Live run={run} title={title} /> : null;
}

function Live({ run, title }: { run: Run; title: string }) {
  const { phases, log } = useRunFeed(run);
  const hasFailed = run.status === 'failed' || run.status === 'cancelled';
  if (log.count === 0 && (phases.length === 0 || hasFailed)) return null;
  return (
    <Card className="flex flex-col gap-2 p-4">
      <h2 className="font-semibold">{title}</h2>
      {phases.length > 0 && (
        <ol className="flex flex-wrap gap-x-4 gap-y-1">
          {phases.map((phase) => (
            <PhaseItem key={phase.phase} phase={phase} hasFailed={hasFailed} />
          ))}
        </ol>
      )}
      {log.count > 0 && <LogTail lines={log.entries.slice(Math.max(0, log.count - shownLines), log.count)} />}
    </Card>
  );
}

function PhaseItem({ phase, hasFailed }: { phase: PhaseView; hasFailed: boolean }) {
  const t = useText();
  const isOver = phase.finishedAt !== undefined;
  return (
    <li className="flex items-center gap-1.5 text-sm">
      {isOver ? (
        <Check size={14} aria-hidden="true" className="text-good" />
      ) : hasFailed ? (
        <CircleX size={14} aria-hidden="true" className="text-bad" />
      ) : (
        <Spinner />
      )}
      <span>{t(`install.phase.${phase.phase}`)}</span>
      <span className="text-muted">
        {(isOver || !hasFailed) && <Elapsed from={phase.startedAt} to={phase.finishedAt} />}
      </span>
    </li>
  );
}

const tones: Partial<Record<LogEntry['level'], string>> = { error: 'text-bad', warn: 'text-warn' };

/** Stays scrolled to its end while it grows, unless the user has scrolled up. */
function LogTail({ lines }: { lines: readonly LogEntry[] }) {
  const t = useText();
  const box = useRef<HTMLDivElement>(null);
  const isAtEnd = useRef(true);
  useLayoutEffect(() => {
    if (box.current && isAtEnd.current && lines.length > 0) box.current.scrollTop = box.current.scrollHeight;
  }, [lines]);
  return (
    <div
      ref={box}
      role="log"
      aria-live="off"
      aria-label={t('install.log')}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls has to be reachable by keyboard
      tabIndex={0}
      onScroll={({ currentTarget: { scrollHeight, scrollTop, clientHeight } }) => {
        isAtEnd.current = scrollHeight - scrollTop - clientHeight < 24;
      }}
      className="max-h-52 overflow-auto rounded-md border border-line bg-raised px-3 py-2 font-mono text-xs leading-5"
    >
      {lines.map((line) => (
        <div key={line.seq} className={`break-words whitespace-pre-wrap ${tones[line.level] ?? ''}`}>
          {visibleLine(line.text)}
        </div>
      ))}
    </div>
  );
}
