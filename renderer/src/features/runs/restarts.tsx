import { History } from 'lucide-react';
import type { Run } from '#shared/runs/contract';
import type { RunFeed } from '../../api/run-feed.ts';
import { useText } from '../../i18n/text.ts';
import { outlived } from './recovery/recovery.ts';

/** Note that Ground Control was interrupted while an apply continued. */
export function Restarts({ run, feed }: { run: Run; feed: RunFeed }) {
  const t = useText();
  const { restart, supervisor } = outlived(feed);
  if (!restart && !supervisor) return null;
  const wentOn = run.status !== 'failed' || run.errorCode === 'apply_failed';
  const text = restart ? (wentOn ? 'run.restarted.on' : 'run.restarted') : wentOn ? 'run.replaced.on' : 'run.replaced';
  return (
    <p className="mb-4 flex items-start gap-2 text-sm text-muted">
      <History size={15} aria-hidden="true" className="mt-0.5 shrink-0" /> {t(text)}
    </p>
  );
}
