import { queryOptions, useQuery } from '@tanstack/react-query';
import type { FormResourceRecord } from '#shared/form-resources/contract';
import { api } from '../../api/client.ts';
import { formResourceQuery } from '../../api/form-resources.ts';
import { keys } from '../../api/queries.ts';
import { readAll } from '../../api/read-all.ts';
import { whenKnown } from '../../api/when-known.ts';
import { visibleText } from '../../ui/visible-text.ts';

/** Names of the Resources of a Workspace, newest first. */
export const formResourceNamesQuery = (workspaceId: string) =>
  queryOptions({
    queryKey: [...keys.formResources(workspaceId), 'names'],
    queryFn: async () => {
      const rows = await readAll(async (cursor) => {
        const query = { limit: '100', ...(cursor !== undefined && { cursor }) };
        const { body } = await api.listFormResourceRecords({ params: { workspaceId }, query });
        return { rows: body.formResources, nextCursor: body.nextCursor };
      });
      return rows.map((row) => ({ id: row.id, name: nameOf(row) }));
    },
  });

const nameOf = ({ kind, name }: Pick<FormResourceRecord, 'kind' | 'name'>): string => visibleText(`${kind}/${name}`);

/** Returns kind and name of a Resource, or its id while or where they are not known; undefined without an id. */
export function useFormResourceName(id: string): string;
export function useFormResourceName(id: string | undefined): string | undefined;
export function useFormResourceName(id: string | undefined): string | undefined {
  const resource = useQuery(whenKnown(id, formResourceQuery)).data;
  if (resource) return nameOf(resource);
  return id === undefined ? undefined : visibleText(id);
}
