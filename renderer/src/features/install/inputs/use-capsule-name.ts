import { queryOptions, useQuery } from '@tanstack/react-query';
import type { Capsule } from '#shared/capsules/contract';
import { CapsuleName, Environment } from '#shared/kernel/scalars';
import { api } from '../../../api/client.ts';
import { keys } from '../../../api/queries.ts';
import { useWorkspaceId } from '../../../api/session.tsx';
import type { TextId } from '../../../i18n/text.ts';
import { uniqueName } from '../address.ts';

const maxPages = 50;

async function listLiving(workspaceId: string): Promise<Capsule[]> {
  const capsules: Capsule[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < maxPages; page += 1) {
    const query = { limit: '100', includeDestroyed: 'false' as const, ...(cursor !== undefined && { cursor }) };
    const { body } = await api.listCapsules({ params: { workspaceId }, query });
    capsules.push(...body.capsules);
    cursor = body.nextCursor;
    if (cursor === undefined) break;
  }
  return capsules;
}

/** Capsules of a Workspace that are not destroyed. */
export const livingCapsulesQuery = (workspaceId: string) =>
  queryOptions({ queryKey: keys.capsules({ purpose: 'names' }), queryFn: () => listLiving(workspaceId) });

type Chosen = { name?: string | undefined; environment?: string | undefined };
type Problems = { name?: TextId; environment?: TextId };

/** State of the Capsule's name and environment: the typed values or the first free name, and their problems. */
export function useCapsuleName(suggestion: string, chosen: Chosen) {
  const workspaceId = useWorkspaceId();
  const capsules = useQuery(livingCapsulesQuery(workspaceId));
  const environment = chosen.environment ?? 'default';
  const isTaken = (name: string) =>
    (capsules.data ?? []).some(
      (one) => one.name === name && one.environment === environment && one.status !== 'destroyed',
    );
  const name = chosen.name ?? uniqueName(suggestion, isTaken);
  const problems: Problems = {
    ...(!CapsuleName.safeParse(name).success && { name: 'install.capsule.nameWrong' }),
    ...(isTaken(name) && { name: 'install.capsule.nameTaken' }),
    ...(!Environment.safeParse(environment).success && { environment: 'install.capsule.environmentWrong' }),
  };
  return { name, environment, problems, isReady: !capsules.isPending };
}
