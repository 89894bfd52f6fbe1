import { actorOf, type Mount, ok } from '#server/kernel/http/index';
import { driftApi } from '#shared/drift/api';
import { nothingLeft } from '#shared/kernel/endpoint';
import type { DriftService } from './service.ts';

export const driftRoutes = (mount: Mount, drift: DriftService): void =>
  mount(driftApi, {
    listDrift: ({ params, query }) => ok(drift.listDrift(params.workspaceId, query)),
    acknowledgeDrift:
      ({ params: { capsuleId }, body: { digest, reason, ...rest }, caller }) =>
      () => {
        nothingLeft(rest);
        return ok({ capsule: drift.acknowledge(capsuleId, { digest, reason }, actorOf(caller)) });
      },
  });
