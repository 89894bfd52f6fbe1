import { type Mount, noContent, ok } from '#server/kernel/http/index';
import { formCompatibilityApi } from '#shared/form-resources/api';
import { desiredRequest, targetRequest, workspaceOf } from './http-requests.ts';
import { wrapped } from './routes.ts';
import type { FormHost } from './service.ts';

/** The routes for clients that name no form, over the same Resources. */
export function formCompatibilityRoutes(mount: Mount, { reads, requests }: FormHost): void {
  mount(formCompatibilityApi, {
    listCompatibilityResources: ({ query: { space, ...page }, caller }) =>
      ok(reads.listResources(workspaceOf(caller), space, page)),
    previewCompatibilityResource: async ({ body, query, caller }) => {
      const { resource } = await requests.preview(desiredRequest(caller, body, query));
      return ok({ resource });
    },
    putCompatibilityResource: ({ params, body, query, caller }) => {
      const request = desiredRequest(caller, body, { ...query, path: params });
      return requests.apply(request, wrapped(request.space));
    },
    getCompatibilityResource: ({ params, query, caller }) =>
      wrapped(query.space)(reads.getAt(targetRequest(caller, params).target, undefined)),
    importCompatibilityResource: ({ params, body: { nativeId, ...body }, query, caller }) => {
      const request = desiredRequest(caller, body, { ...query, path: params });
      return requests.import({ ...request, nativeId }, wrapped(request.space));
    },
    observeCompatibilityResource: ({ params, query, caller }) =>
      requests.look(targetRequest(caller, params), 'observe', wrapped(query.space)),
    refreshCompatibilityResource: ({ params, query, caller }) =>
      requests.look(targetRequest(caller, params), 'refresh', wrapped(query.space)),
    deleteCompatibilityResource: ({ params, caller }) =>
      requests.delete(targetRequest(caller, params), () => noContent()),
  });
}
