import { AppError } from '#server/kernel/errors';
import { type Caller, type Mount, ok } from '#server/kernel/http/index';
import { runsApi } from '#shared/runs/api';
import type { Run } from '#shared/runs/contract';
import type { FeedReader } from './feed.ts';
import type { RunsService } from './service.ts';

type Parts = {
  runs: RunsService;
  feed: FeedReader;
  cancel: (id: string, caller: Caller, body: { interrupt?: boolean | undefined }) => Run;
};

/** The place after which a stream begins: the reader's own memory wins over the query. */
function startOf(caller: Caller, after: number | undefined): number {
  if (caller.lastEventId === undefined) return after ?? 0;
  if (/^[0-9]{1,12}$/.test(caller.lastEventId)) return Number(caller.lastEventId);
  throw new AppError('invalid_request', 'Last-Event-ID takes the id of an event of this stream.');
}

export const runsRoutes = (mount: Mount, { runs, feed, cancel }: Parts): void =>
  mount(runsApi, {
    listRuns: ({ params, query }) => ok(runs.listRuns(params.workspaceId, query)),
    getRun: ({ params }) => ok({ run: runs.getRun(params.runId) }),
    cancelRun:
      ({ params, body, caller }) =>
      () =>
        ok({ run: cancel(params.runId, caller, body) }),
    getRunLogs: ({ params, query, caller }) =>
      caller.accept.includes('text/plain') ? feed.text(params.runId) : ok(feed.logs(params.runId, query)),
    getRunEvents: ({ params, query, caller }) =>
      caller.accept.includes('text/event-stream')
        ? feed.live(params.runId, { after: startOf(caller, query.after), kinds: query.kinds })
        : ok({ auditEvents: feed.auditEvents(params.runId) }),
  });
