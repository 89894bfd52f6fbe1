import { isDeepStrictEqual } from 'node:util';
import type { ActivityService } from '#server/domains/activity/index';
import { formKeyOf } from '#server/domains/form-packages/index';
import { notFound } from '#server/kernel/errors';
import { beforeSeq, type Cursors, type ListQueryOf, type PageQuery, readPage } from '#server/kernel/page';
import type { ActivityEvent } from '#shared/activity/contract';
import { type FormAvailability, FormIdentity } from '#shared/form-packages/contract';
import type { formResourceRecordsApi } from '#shared/form-resources/api';
import type { FormResource, FormResourceEvent } from '#shared/form-resources/contract';
import { nothingLeft } from '#shared/kernel/endpoint';
import { formHostLimits } from '#shared/limits';
import { availabilityOf, requireIdentity } from './availability.ts';
import type { FormPackagesPort } from './ports.ts';
import { detailOf, recordOf, resourceOf } from './records.ts';
import { noResource } from './refusals.ts';
import type { FormResourcesStore, ResourceRow, Target } from './store.ts';

export type ReadPorts = {
  store: FormResourcesStore;
  packages: FormPackagesPort;
  cursors: Cursors;
  activity: Pick<ActivityService, 'listOfResource'>;
};
type FormFilter = { [K in keyof FormIdentity['formRef'] | 'packageDigest']?: string | undefined };

export type FormReads = ReturnType<typeof createFormReads>;

/** The reads of the protocol and of the dashboard. */
export function createFormReads({ store, packages, cursors, activity }: ReadPorts) {
  function requireRow(id: string): ResourceRow {
    const row = store.find(id);
    if (!row) throw notFound('Resource');
    return row;
  }

  return {
    listForms(
      subject: { workspaceId: string; mayWrite: boolean },
      filter: FormFilter,
      query: PageQuery,
    ): { forms: FormAvailability[]; nextCursor?: string } {
      const exact = identityOf(filter);
      const all = packages
        .listPackages()
        .filter(({ identity }) => exact === undefined || isDeepStrictEqual(identity, exact));
      const { rows, next } = readPage(cursors, query, {
        binding: `forms:${subject.workspaceId}:${JSON.stringify(exact ?? null)}`,
        fetch: (after, limit) =>
          all.filter(({ identity }) => formKeyOf(identity) > String(after?.[0] ?? '')).slice(0, limit),
        positionOf: ({ identity }) => [formKeyOf(identity)],
      });
      return { forms: rows.map((listed) => availabilityOf(listed, subject)), ...next };
    },

    listResources(
      workspaceId: string,
      space: string,
      query: PageQuery,
    ): { resources: FormResource[]; nextCursor?: string } {
      const { rows, next } = readPage(cursors, query, {
        binding: `form-resources:${workspaceId}`,
        fetch: (after, limit) => store.listAfter(workspaceId, Number(after?.[0] ?? 0), limit),
        positionOf: ({ seq }) => [seq],
      });
      return { resources: rows.map((row) => resourceOf(row, space)), ...next };
    },

    /** Returns the Resource of exactly this form; without a form, the Resource. Throws 404 and 409. */
    getAt(target: Target, form: FormIdentity | undefined): ResourceRow {
      const row = store.findAt(target);
      if (form) requireIdentity(packages, form, row);
      if (!row) throw noResource();
      return row;
    },

    /** Lists the newest events of a Resource, oldest first. */
    listEvents: ({ id }: ResourceRow): FormResourceEvent[] =>
      activity
        .listOfResource(id, { before: Number.MAX_SAFE_INTEGER, limit: formHostLimits.events })
        .map(({ event }) => eventOf(event))
        .reverse(),

    listRecords(
      workspaceId: string,
      { limit, cursor, q, status, ...rest }: ListQueryOf<typeof formResourceRecordsApi.listFormResourceRecords>,
    ) {
      nothingLeft(rest);
      const filter = { q, status };
      const { rows, next } = readPage(
        cursors,
        { limit, cursor },
        {
          binding: `form-resource-records:${workspaceId}:${JSON.stringify(filter)}`,
          fetch: (after, count) => store.listBefore(workspaceId, filter, { before: beforeSeq(after), limit: count }),
          positionOf: ({ seq }) => [seq],
        },
      );
      return { formResources: rows.map((row) => recordOf(row, packages)), ...next };
    },

    getRecord: (id: string) => detailOf(requireRow(id), packages),

    listRecordEvents(id: string, query: ListQueryOf<typeof formResourceRecordsApi.listFormResourceRecordEvents>) {
      requireRow(id);
      const { rows, next } = readPage(cursors, query, {
        binding: `form-resource-events:${id}`,
        fetch: (after, limit) => activity.listOfResource(id, { before: beforeSeq(after), limit }),
        positionOf: ({ seq }) => [seq],
      });
      return { events: rows.map(({ event }) => eventOf(event)), ...next };
    },
  };
}

/** Returns the exact form of a filter, or undefined without one. The endpoint table refuses a part of a reference. */
const identityOf = ({ packageDigest, ...formRef }: FormFilter): FormIdentity | undefined =>
  FormIdentity.safeParse({ formRef, packageDigest }).data;

const eventOf = ({ id, action, actorId, metadata, createdAt }: ActivityEvent): FormResourceEvent => ({
  id,
  action: action as FormResourceEvent['action'],
  resourceVersion: String(metadata['resourceVersion']),
  ...(actorId !== undefined && { actorId }),
  createdAt,
});
