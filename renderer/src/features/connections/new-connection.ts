import type { connectionsApi } from '#shared/connections/api';
import type { Connection } from '#shared/connections/contract';
import type { BodyInputOf } from '#shared/kernel/endpoint';
import { ApiError, api } from '../../api/client.ts';
import { useIntent } from '../../api/intent.ts';
import { invalidateRecord } from '../../api/queries.ts';
import { useWorkspaceId } from '../../api/session.tsx';
import { findText, type TextId } from '../../i18n/text.ts';

/** Body that creates a Connection. */
export type NewConnection = BodyInputOf<typeof connectionsApi.createConnection>;

/** Returns the function that finds the problem of the field that a refusal names, by the field's JSON pointer. */
export const refusedFieldIn =
  <Field extends string>(fieldOf: Readonly<Record<string, Field>>) =>
  (error: unknown): { field: Field; text: TextId } | undefined => {
    if (!(error instanceof ApiError)) return undefined;
    const field = fieldOf[String(error.details['field'])];
    const text = findText(`refusal.${String(error.details['reason'] ?? error.code)}`);
    return field && text ? { field, text } : undefined;
  };

/** Saves a draft as a Connection of the Workspace. */
export function useNewConnection<Draft>(bodyOf: (draft: Draft, workspaceId: string) => NewConnection) {
  const workspaceId = useWorkspaceId();
  return useIntent(async (keyOf, draft: Draft): Promise<Connection> => {
    const { connection } = (await api.createConnection({ body: bodyOf(draft, workspaceId) }, keyOf('create'))).body;
    invalidateRecord({ kind: 'connection', id: connection.id });
    return connection;
  });
}
