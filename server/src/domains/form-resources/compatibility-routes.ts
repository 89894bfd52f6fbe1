import { actorOf, type Caller, type Mount, noContent, ok } from '#server/kernel/http/index';
import { required } from '#server/kernel/required';
import { formCompatibilityApi } from '#shared/form-resources/api';
import { type BodyOf, nothingLeft } from '#shared/kernel/endpoint';
import type { DesiredRequest, TargetRequest } from './request-types.ts';
import { conditionsOf, requireSamePath, workspaceOf, wrapped } from './routes.ts';
import type { FormHost } from './service.ts';

type Path = { kind: string; name: string };
type DesiredBody = BodyOf<typeof formCompatibilityApi.putCompatibilityResource>;

const targetRequest = (caller: Caller, { kind, name }: Path): TargetRequest => ({
  target: { workspaceId: workspaceOf(caller), kind, name },
  actorId: actorOf(caller),
  form: undefined,
  conditions: conditionsOf(caller),
  key: caller.idempotencyKey,
});

/** Takes a body apart; its kind and name must be those of the path. Throws 400. */
function desiredRequest(
  caller: Caller,
  { body, query, path }: { body: DesiredBody; query: { space?: string | undefined }; path?: Path },
): DesiredRequest {
  const { apiVersion, kind, metadata, spec, ...rest } = body;
  nothingLeft(rest);
  const { name, space = query.space, resourceVersion } = metadata;
  requireSamePath({ kind, name }, path);
  return {
    ...targetRequest(caller, { kind, name }),
    space: required(space, 'space of the query or the metadata'),
    apiVersion,
    resourceVersion,
    spec,
    planDigest: undefined,
  };
}

/** The routes for clients that name no form, over the same Resources. */
export function formCompatibilityRoutes(mount: Mount, { reads, requests }: FormHost): void {
  mount(formCompatibilityApi, {
    listCompatibilityResources: ({ query: { space, ...page }, caller }) =>
      ok(reads.listResources(workspaceOf(caller), space, page)),
    previewCompatibilityResource: async ({ body, query, caller }) => {
      const { resource } = await requests.preview(desiredRequest(caller, { body, query }));
      return ok({ resource });
    },
    putCompatibilityResource: ({ params, body, query, caller }) => {
      const request = desiredRequest(caller, { body, query, path: params });
      return requests.apply(request, wrapped(request.space));
    },
    getCompatibilityResource: ({ params, query, caller }) =>
      wrapped(query.space)(reads.getAt(targetRequest(caller, params).target, undefined)),
    importCompatibilityResource: ({ params, body: { nativeId, ...body }, query, caller }) => {
      const request = desiredRequest(caller, { body, query, path: params });
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
