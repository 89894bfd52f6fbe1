import { holdsScope, type Mount, mayWrite, noContent, ok } from '#server/kernel/http/index';
import { required } from '#server/kernel/required';
import type { FormIdentity } from '#shared/form-packages/contract';
import { formHostApi, formResourceRecordsApi } from '#shared/form-resources/api';
import { desiredRequest, targetRequest, workspaceOf } from './http-requests.ts';
import { etagOf, resourceOf } from './records.ts';
import type { FormHost } from './service.ts';

type ResourceRow = Parameters<typeof resourceOf>[0];
type ExactQuery = { space: string } & FormIdentity['formRef'] & { packageDigest: string };
const identityOf = ({ packageDigest, ...query }: ExactQuery): FormIdentity => {
  const { space: _, ...formRef } = query;
  return { formRef, packageDigest };
};

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
    previewFormResource: async ({ body: { form, ...body }, caller }) =>
      ok(await requests.preview(desiredRequest(caller, body, { form }))),
    putFormResource: ({ params, body: { review, form, ...body }, caller }) =>
      requests.apply(
        { ...desiredRequest(caller, body, { form, path: params }), planDigest: review.planDigest },
        bare(body.metadata.space, { 'idempotency-key': caller.idempotencyKey ?? '' }),
      ),
    importFormResource: ({ params, body: { review, nativeId, form, ...body }, caller }) =>
      requests.import(
        { ...desiredRequest(caller, body, { form, path: params }), nativeId, planDigest: review?.planDigest },
        wrapped(body.metadata.space),
      ),
    getFormResource: ({ params, query, caller }) => {
      const { target, form } = targetRequest(caller, params, identityOf(query));
      return bare(query.space)(reads.getAt(target, form));
    },
    observeFormResource: ({ params, query, caller }) =>
      requests.look(targetRequest(caller, params, identityOf(query)), 'observe', wrapped(query.space)),
    refreshFormResource: ({ params, query, caller }) =>
      requests.look(targetRequest(caller, params, identityOf(query)), 'refresh', wrapped(query.space)),
    listFormResourceEvents: ({ params, query, caller }) => {
      const { target, form } = targetRequest(caller, params, identityOf(query));
      return ok({ events: reads.listEvents(reads.getAt(target, form)) });
    },
    deleteFormResource: ({ params, query, caller }) =>
      requests.delete(targetRequest(caller, params, identityOf(query)), () => noContent()),
  });
}

/** The routes of the dashboard, which exist also where the form host is off. */
export const formResourceRecordsRoutes = (mount: Mount, { reads }: Pick<FormHost, 'reads'>): void =>
  mount(formResourceRecordsApi, {
    listFormResourceRecords: ({ params, query }) => ok(reads.listRecords(params.workspaceId, query)),
    getFormResourceRecord: ({ params }) => ok({ formResource: reads.getRecord(params.formResourceId) }),
    listFormResourceRecordEvents: ({ params, query }) => ok(reads.listRecordEvents(params.formResourceId, query)),
  });
