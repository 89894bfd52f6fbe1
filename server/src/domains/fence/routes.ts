import { actorOf, type Mount, ok } from '#server/kernel/http/index';
import { fenceApi } from '#shared/fence/api';
import type { FenceService } from './service.ts';

export const fenceRoutes = (mount: Mount, fence: FenceService): void =>
  mount(fenceApi, {
    getFence: () => ok({ fence: fence.describe() }),
    takeFence: async ({ caller }) => ok({ fence: await fence.take(actorOf(caller)) }),
  });
