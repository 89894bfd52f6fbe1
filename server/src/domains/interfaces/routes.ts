import { jsonDigest } from '#server/kernel/digest';
import { notFound } from '#server/kernel/errors';
import { type Mount, ok } from '#server/kernel/http/index';
import type { Cursors } from '#server/kernel/page';
import { interfacesApi } from '#shared/interfaces/api';
import { nothingLeft } from '#shared/kernel/endpoint';

/** Interfaces are created from blueprints after an apply. This server creates none yet, so its lists are always empty. */
export const interfacesRoutes = (mount: Mount, { cursors }: { cursors: Cursors }): void =>
  mount(interfacesApi, {
    listMaterializationFailures: ({ query: { limit: _limit, ...rest } }) => {
      nothingLeft(rest);
      return ok({ failures: [] });
    },
    // No intent id refers to a failure, so no member of the body can match one.
    retryMaterialization: ({ body }) => {
      const { failureDigest: _digest, stateVersionId: _id, stateGeneration: _generation, ...rest } = body;
      nothingLeft(rest);
      return () => {
        throw notFound('materialization failure');
      };
    },
    listUiSurfaces: ({ params, query: { capsuleId, cursor, limit: _limit, ...rest } }) => {
      nothingLeft(rest);
      cursors.decode(`ui-surfaces:${jsonDigest([params.workspaceId, capsuleId ?? null])}`, cursor);
      return ok({ interfaces: [] });
    },
  });
