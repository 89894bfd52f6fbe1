import { useQuery } from '@tanstack/react-query';
import { runErrorCodes } from '#shared/errors';
import type { Diagnostic } from '#shared/runs/feed';
import { api } from '../../api/client.ts';

const isWrapUp = ({ code }: Diagnostic): boolean => runErrorCodes.some((one) => one === code);

/** The errors of a Run that has ended: the tool's own, else the one that sums the Run up. */
export function useRunErrors(runId: string | undefined): readonly Diagnostic[] {
  const { data = [] } = useQuery({
    queryKey: ['run_errors', runId],
    queryFn: async () =>
      (await api.getRunLogs({ params: { runId: runId ?? '' }, query: { limit: '1' } })).body.diagnostics,
    enabled: runId !== undefined,
    staleTime: Number.POSITIVE_INFINITY,
  });
  const errors = data.filter(({ severity }) => severity === 'error');
  const own = errors.filter((one) => !isWrapUp(one));
  return own.length > 0 ? own : errors;
}
