import { isPlanType, type RunRow } from '#shared/runs/contract';
import { useText } from '../i18n/text.ts';
import { ChangeCounts } from './change-counts.tsx';

/** Number of planned changes, or the number of drifted resources. */
export function RunChanges({ run }: { run: RunRow }) {
  const t = useText();
  const { type, summary, driftCount } = run;
  if (type !== 'drift_check') return summary && isPlanType(type) && <ChangeCounts counts={summary} />;
  if (driftCount === undefined) return null;
  return driftCount > 0 ? (
    <span className="text-warn">{t('drift.count', { count: driftCount })}</span>
  ) : (
    <span className="text-muted">{t('drift.clean')}</span>
  );
}
