import { actorOf, type Caller, holdsScope, type Mount, mayWrite, noContent, ok } from '#server/kernel/http/index';
import { required } from '#server/kernel/required';
import type { FormIdentity } from '#shared/form-packages/contract';
import { formHostApi, formResourceRecordsApi } from '#shared/form-resources/api';
import { nothingLeft } from '#shared/kernel/endpoint';
import { etagOf, resourceOf } from './records.ts';
import { invalid } from './refusals.ts';
import type { DesiredRequest, TargetRequest } from './request-types.ts';
import type { FormHost } from './service.ts';

type ResourceRow = Parameters<typeof resourceOf>[0];
type ExactQuery = { space: string } & FormIdentity['formRef'] & { packageDigest: string };
type Path = { kind: string; name: string };
type DesiredBody = {
  apiVersion: string;
  kind: string;
  form: FormIdentity;
  metadata: { name: string; space: string; resourceVersion?: string | undefined };
  spec: DesiredRequest['spec'];
};

const identityOf = ({ packageDigest, ...query }: ExactQuery): FormIdentity => {
  const { space: _, ...formRef } = query;
  return { formRef, packageDigest };
};
/** The gate has checked the Workspace that the request names. */
export const workspaceOf = ({ workspaceId }: Caller): string => required(workspaceId, 'Workspace of the space');
export const conditionsOf = ({ ifMatch, ifNoneMatch }: Caller) => ({ ifMatch, ifNoneMatch });

const targetRequest = (caller: Caller, { kind, name }: Path, query: ExactQuery): TargetRequest => ({
  target: { workspaceId: workspaceOf(caller), kind, name },
  actorId: actorOf(caller),
  form: identityOf(query),
  conditions: conditionsOf(caller),
  key: caller.idempotencyKey,
});

/** Takes a body apart; its kind and name must be those of the path. Throws 400. */
function desiredRequest(caller: Caller, body: DesiredBody, path?: Path): DesiredRequest {
  const { apiVersion, kind, form, metadata, spec, ...rest } = body;
  nothingLeft(rest);
  const { name, space, resourceVersion } = metadata;
  requireSamePath({ kind, name }, path);
  return {
    target: { workspaceId: workspaceOf(caller), kind, name },
    actorId: actorOf(caller),
    form,
    conditions: conditionsOf(caller),
    key: caller.idempotencyKey,
    space,
    apiVersion,
    resourceVersion,
    spec,
    planDigest: undefined,
  };
}

/** Throws 400 when a body names another Resource than the path. */
export function requireSamePath({ kind, name }: Path, path: Path | undefined): void {
  if (path === undefined) return;
  if (kind !== path.kind) throw invalid('The kind differs from that of the path.', '/kind');
  if (name !== path.name) throw invalid('The name differs from that of the path.', '/metadata/name');
}

/** Answers with the Resource alone, and its version as entity tag. */
const bare =
  (space: string, headers: Record<string, string> = {}) =>
  (row: ResourceRow | undefined) => {
    const present = required(row, 'Resource of an answer');
    return ok(resourceOf(present, space), { etag: etagOf(present), ...headers });
  };
export const wrapped = (space: string) => (row: ResourceRow | undefined) => {
  const present = required(row, 'Resource of an answer');
  return ok({ resource: resourceOf(present, space) }, { etag: etagOf(present) });
};

export function formHostRoutes(mount: Mount, { reads, requests }: FormHost): void {
  mount(formHostApi, {
    listForms: ({ query: { space: _, limit, cursor, ...filter }, caller }) =>
      ok(
        reads.listForms(
          {
            workspaceId: workspaceOf(caller),
            mayWrite: mayWrite(caller) && holdsScope(caller.principal, formHostApi.putFormResource),
          },
          filter,
          { limit, cursor },
        ),
      ),
    listFormResources: ({ query: { space, ...page }, caller }) =>
      ok(reads.listResources(workspaceOf(caller), space, page)),
    previewFormResource: async ({ body, caller }) => ok(await requests.preview(desiredRequest(caller, body))),
    putFormResource: ({ params, body: { review, ...body }, caller }) =>
      requests.apply(
        { ...desiredRequest(caller, body, params), planDigest: review.planDigest },
        bare(body.metadata.space, { 'idempotency-key': caller.idempotencyKey ?? '' }),
      ),
    importFormResource: ({ params, body: { review, nativeId, ...body }, caller }) =>
      requests.import(
        { ...desiredRequest(caller, body, params), nativeId, planDigest: review?.planDigest },
        wrapped(body.metadata.space),
      ),
    getFormResource: ({ params, query, caller }) => {
      const { target, form } = targetRequest(caller, params, query);
      return bare(query.space)(reads.getAt(target, form));
    },
    observeFormResource: ({ params, query, caller }) =>
      requests.look(targetRequest(caller, params, query), 'observe', wrapped(query.space)),
    refreshFormResource: ({ params, query, caller }) =>
      requests.look(targetRequest(caller, params, query), 'refresh', wrapped(query.space)),
    listFormResourceEvents: ({ params, query, caller }) => {
      const { target, form } = targetRequest(caller, params, query);
      return ok({ events: reads.listEvents(reads.getAt(target, form)) });
    },
    deleteFormResource: ({ params, query, caller }) =>
      requests.delete(targetRequest(caller, params, query), () => noContent()),
  });
}

/** The routes of the dashboard, which exist also where the form host is off. */
export const formResourceRecordsRoutes = (mount: Mount, { reads }: Pick<FormHost, 'reads'>): void =>
  mount(formResourceRecordsApi, {
    listFormResourceRecords: ({ params, query }) => ok(reads.listRecords(params.workspaceId, query)),
    getFormResourceRecord: ({ params }) => ok({ formResource: reads.getRecord(params.formResourceId) }),
    listFormResourceRecordEvents: ({ params, query }) => ok(reads.listRecordEvents(params.formResourceId, query)),
  });
