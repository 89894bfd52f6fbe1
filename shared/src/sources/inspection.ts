import type { Client } from '../kernel/client.ts';
import type { sourcesApi } from './api.ts';
import type { Source, SourceSyncRun } from './contract.ts';
import { sourceNameOf } from './repository-name.ts';

/** Repository, ref and path to inspect. `HEAD` is the default branch and `.` the root. */
export type InspectedAddress = { url: string; ref: string; path: string };

type SourceRequests = Pick<Client<typeof sourcesApi>, 'listSources' | 'createSource' | 'syncSource'>;

export type InspectionInput = {
  workspaceId: string;
  address: InspectedAddress;
  /** Connection for a private repository; only a Source with this Connection is used. */
  authConnectionId?: string | undefined;
};

export type StartedInspection = {
  source: Source;
  /** True when no Source had this default address. */
  isNewSource: boolean;
  run: SourceSyncRun;
};

/**
 * Starts the inspection of a repository: finds or creates the Source with this default address, and requests a sync of
 * its newest commit. Nothing of the repository is executed.
 */
export async function startInspection(api: SourceRequests, input: InspectionInput): Promise<StartedInspection> {
  const existing = await findSource(api, input);
  const source = existing ?? (await createSource(api, input));
  const { body } = await api.syncSource({ params: { sourceId: source.id }, body: { intent: 'manual_plan' } });
  return { source, isNewSource: existing === undefined, run: body.run };
}

async function findSource(
  api: SourceRequests,
  { workspaceId, address, authConnectionId }: InspectionInput,
): Promise<Source | undefined> {
  const isMatch = (one: Source) =>
    one.url === address.url &&
    one.defaultRef === address.ref &&
    one.defaultPath === address.path &&
    one.status !== 'disabled' &&
    (authConnectionId === undefined || one.authConnectionId === authConnectionId);
  let cursor: string | undefined;
  do {
    const query = { workspaceId, url: address.url, limit: '100', ...(cursor !== undefined && { cursor }) };
    const { body } = await api.listSources({ query });
    const match = body.sources.find(isMatch);
    if (match) return match;
    cursor = body.nextCursor;
  } while (cursor !== undefined);
  return undefined;
}

async function createSource(
  api: SourceRequests,
  { workspaceId, address: { url, ref, path }, authConnectionId }: InspectionInput,
): Promise<Source> {
  const body = {
    workspaceId,
    name: sourceNameOf(url),
    url,
    defaultRef: ref,
    defaultPath: path,
    ...(authConnectionId !== undefined && { authConnectionId }),
  };
  return (await api.createSource({ body })).body.source;
}

/** Returns the module that is named, even when the list does not contain it, else the only one. */
export const modulePathOf = (modules: readonly { path: string }[], named: string | undefined): string | undefined =>
  named ?? (modules.length === 1 ? modules[0]?.path : undefined);
