import { notFound } from '#server/kernel/errors';
import type { Mount } from '#server/kernel/http/index';
import { nothingLeft } from '#shared/kernel/endpoint';
import { restoresApi } from '#shared/restores/api';

/** Refuses the review: this server does not create restore Runs yet, so no Run has one. */
export const restoresRoutes = (mount: Mount): void =>
  mount(restoresApi, {
    getRestoreReview: ({ query: { limit: _limit, cursor: _cursor, ...rest } }) => {
      nothingLeft(rest);
      throw notFound('restore');
    },
  });
