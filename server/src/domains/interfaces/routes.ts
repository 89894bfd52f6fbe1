import { notFound } from '#server/kernel/errors';
import { type Mount, ok } from '#server/kernel/http/index';
import type { Cursors } from '#server/kernel/page';
import { interfacesApi } from '#shared/interfaces/api';

/** Interfaces are created from blueprints after an apply. This server creates none yet, so its lists are always empty. */
export const interfacesRoutes = (mount: Mount, { cursors }: { cursors: Cursors }): void =>
  mount(interfacesApi, {
    listMaterializationFailures: () => ok({ failures: [] }),
    retryMaterialization: () => () => {
      throw notFound('materialization failure');
    },
    listUiSurfaces: ({ params, query }) => {
      cursors.decode(`ui-surfaces:${params.workspaceId}:${query.capsuleId ?? ''}`, query.cursor);
      return ok({ interfaces: [] });
    },
  });
