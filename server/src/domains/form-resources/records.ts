import { isoTime } from '#server/kernel/clock';
import type { FormResource, FormResourceDetail, FormResourceRecord } from '#shared/form-resources/contract';
import type { FormPackagesPort } from './ports.ts';
import type { ResourceRow } from './store.ts';

export const versionOf = (generation: number): string => String(generation);
export const etagOf = ({ generation }: Pick<ResourceRow, 'generation'>): string => `"${versionOf(generation)}"`;

/** Returns the record of the protocol. `space` is the spelling of the request. */
export const resourceOf = (row: ResourceRow, space: string): FormResource => ({
  apiVersion: row.form.formRef.apiVersion,
  kind: row.kind,
  form: row.form,
  metadata: { name: row.name, space, resourceVersion: versionOf(row.generation) },
  spec: row.spec,
  status: {
    observed: {
      id: row.id,
      ready: row.ready,
      generation: versionOf(row.generation),
      imported: row.imported,
      portability: 'portable',
      driftedFields: row.driftedFields,
    },
    output: { id: row.id },
  },
});

/** Returns the record of the dashboard. */
export function recordOf(row: ResourceRow, packages: Pick<FormPackagesPort, 'findPackage'>): FormResourceRecord {
  const found = packages.findPackage(row.form);
  const displayName = found?.state === 'installed' ? found.package.displayName : undefined;
  return {
    id: row.id,
    workspaceId: row.workspaceId,
    kind: row.kind,
    name: row.name,
    form: row.form,
    ...(displayName !== undefined && { formDisplayName: displayName }),
    formInstalled: found?.state === 'installed',
    resourceVersion: versionOf(row.generation),
    ready: row.ready,
    imported: row.imported,
    driftedFields: row.driftedFields,
    ...(row.observedAt !== null && { observedAt: isoTime(row.observedAt) }),
    createdBy: row.createdBy,
    createdAt: isoTime(row.createdAt),
    ...(row.updatedBy !== null && { updatedBy: row.updatedBy }),
    updatedAt: isoTime(row.updatedAt),
  };
}

export const detailOf = (row: ResourceRow, packages: Pick<FormPackagesPort, 'findPackage'>): FormResourceDetail => ({
  ...recordOf(row, packages),
  spec: row.spec,
});
