import type { Run } from '#shared/runs/contract';
import type { FeedDiagnostic } from '#shared/runs/feed';

/** Code of the server's summary of a failure, which the verdict already shows. */
export const isSummary = ({ code, severity }: FeedDiagnostic, run: Pick<Run, 'errorCode'>): boolean =>
  severity === 'error' && code !== undefined && code === run.errorCode;

/** Returns the server's reasons for a failure, each once, without those that quote an error which is shown beside them. */
export function reasonsOf(diagnostics: readonly FeedDiagnostic[], run: Pick<Run, 'errorCode'>): FeedDiagnostic[] {
  const errors = diagnostics.filter((item) => item.severity === 'error' && !isSummary(item, run));
  const own = diagnostics.filter(
    (item) => isSummary(item, run) && !errors.some(({ message }) => item.message.includes(message)),
  );
  return [...new Map(own.map((item) => [item.message, item])).values()];
}
