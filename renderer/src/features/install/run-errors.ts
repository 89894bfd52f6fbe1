import { skipToken, useQuery } from '@tanstack/react-query';
import { runErrorCodes } from '#shared/errors';
import type { Diagnostic } from '#shared/runs/feed';
import { api } from '../../api/client.ts';

const isWrapUp = ({ code }: Diagnostic): boolean => runErrorCodes.some((one) => one === code);

/** Returns the errors of a Run that has ended: those of the tool, else the summary of the server. */
export function useRunErrors(runId: string | undefined): readonly Diagnostic[] {
  const { data = [] } = useQuery({
    queryKey: ['run_errors', runId],
    queryFn:
      runId === undefined
        ? skipToken
        : async () => (await api.getRunLogs({ params: { runId }, query: { limit: '1' } })).body.diagnostics,
    staleTime: Number.POSITIVE_INFINITY,
  });
  const errors = data.filter(({ severity }) => severity === 'error');
  const own = errors.filter((one) => !isWrapUp(one));
  return own.length > 0 ? own : errors;
}
