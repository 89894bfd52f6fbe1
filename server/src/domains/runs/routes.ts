import { actorOf, type Caller, findStartPosition, type Mount, ok } from '#server/kernel/http/index';
import { type BodyOf, nothingLeft } from '#shared/kernel/endpoint';
import { runsApi } from '#shared/runs/api';
import type { Run } from '#shared/runs/contract';
import type { FeedReader } from './feed.ts';
import type { RunsService } from './service.ts';

type Parts = {
  runs: RunsService;
  feed: FeedReader;
  /** Approves a plan: the rules of plans are in a higher domain. */
  approve: (runId: string, input: { actorId: string; reason?: string | undefined }) => Run;
  cancel: (id: string, caller: Caller, body: BodyOf<typeof runsApi.cancelRun>) => Run;
};

export const runsRoutes = (mount: Mount, { runs, feed, approve, cancel }: Parts): void =>
  mount(runsApi, {
    listRuns: ({ params, query }) => ok(runs.listRuns(params.workspaceId, query)),
    getRun: ({ params }) => ok({ run: runs.getRun(params.runId) }),
    approveRun:
      ({ params, body: { reason, ...rest }, caller }) =>
      () => {
        nothingLeft(rest);
        return ok({ run: approve(params.runId, { actorId: actorOf(caller), reason }) });
      },
    cancelRun:
      ({ params, body, caller }) =>
      () =>
        ok({ run: cancel(params.runId, caller, body) }),
    getRunLogs: ({ params, query, caller }) =>
      caller.accept.includes('text/plain') ? feed.text(params.runId) : ok(feed.logs(params.runId, query)),
    getRunEvents: ({ params, query: { after, kinds, ...rest }, caller }) => {
      nothingLeft(rest);
      return caller.accept.includes('text/event-stream')
        ? feed.live(params.runId, { after: findStartPosition(caller, after) ?? 0, kinds })
        : ok({ auditEvents: feed.auditEvents(params.runId) });
    },
  });
