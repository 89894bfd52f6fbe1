import { type Mount, ok } from '#server/kernel/http/index';
import { restoresApi } from '#shared/restores/api';
import type { RestoresService } from './service.ts';

export const restoresRoutes = (mount: Mount, { review }: Pick<RestoresService, 'review'>): void =>
  mount(restoresApi, {
    getRestoreReview: ({ params, query }) => ok(review(params.runId, query)),
  });
