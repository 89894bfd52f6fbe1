import { parseExactly, writeJson } from '#shared/kernel/exact-number';
import { isSecretLike } from '#shared/secret-like';
import { copyIdOf } from '#shared/sources/copy-address';
import { startInspection } from '#shared/sources/inspection';
import type { ReturnTarget } from '#shared/sources/return-uri';
import { api } from '../../api/client.ts';
import { installAddress } from '../../api/install-address.ts';
import type { Keys } from '../../api/intent.ts';
import { invalidateRecord, keys, queryClient } from '../../api/queries.ts';
import type { Address } from './address.ts';

/** Progress of an inspection. It is stored per tab, so that a reload continues it. */
export type Inspection = {
  packed: string;
  address: Address;
  sourceId: string;
  /** Name of the Source, for an installable copy: its address contains none. */
  sourceName?: string;
  syncRunId: string;
  modulePath?: string;
  prefill?: Prefill;
};
/** Fields of an install link beyond the address: module path, name and return target. */
export type Prefill = { isFromLink?: true; path?: string; name?: string; returnTo?: ReturnTarget };
/** Reason why the last plan of this address failed, shown beside the form when it is opened again. */
export type Failure = {
  packed: string;
  message: string;
  variables: Readonly<Record<string, string>>;
  /** The Capsule created before its plan failed; the next plan belongs to it. */
  capsuleId?: string;
  /** Set when the Capsule is installed and only its inputs change. */
  isChange?: true;
};

const inspectionKey = 'install.look';
const failureKey = 'install.failure';
const typedKey = 'install.address';

function readStored<T extends { packed: string }>(key: string, packed: string | undefined): T | undefined {
  try {
    const stored = parseExactly(sessionStorage.getItem(key) ?? 'null') as T | null;
    return stored !== null && stored.packed === packed ? stored : undefined;
  } catch {
    return undefined;
  }
}

function store(key: string, value: unknown): void {
  try {
    sessionStorage.setItem(key, writeJson(value));
  } catch {
    // If storage is full or forbidden, only the position after a reload is lost.
  }
}

export const readInspection = (packed: string | undefined): Inspection | undefined => readStored(inspectionKey, packed);
export const saveInspection = (inspection: Inspection): void => store(inspectionKey, inspection);
export const clearInspection = (): void => sessionStorage.removeItem(inspectionKey);
export const readFailure = (packed: string | undefined): Failure | undefined => readStored(failureKey, packed);
export const saveFailure = (failure: Failure): void => store(failureKey, failure);
/** An incomplete address survives a reload, but never a credential in it. */
export const readTyped = (): string => sessionStorage.getItem(typedKey) ?? '';
export function saveTyped(text: string): void {
  if (text === '' || text.includes('@') || isSecretLike(text)) sessionStorage.removeItem(typedKey);
  else sessionStorage.setItem(typedKey, text);
}

export const clearFailure = (): void => sessionStorage.removeItem(failureKey);

/** Finds or creates the Source with this default address, and requests its newest commit. */
export async function inspectAddress(workspaceId: string, address: Address, prefill?: Prefill): Promise<Inspection> {
  const { source, isNewSource, run } = await startInspection(api, { workspaceId, address });
  if (isNewSource) void queryClient.invalidateQueries({ queryKey: ['source', 'list'] });
  return {
    packed: installAddress(address),
    address,
    sourceId: source.id,
    ...(copyIdOf(address.url) !== undefined && { sourceName: source.name }),
    syncRunId: run.id,
    ...(prefill && { prefill }),
  };
}

/** Assigns this Connection to the Source of an inspection, and requests its newest commit again. */
export async function inspectWithConnection(
  inspection: Inspection,
  authConnectionId: string,
  keyOf: Keys,
): Promise<Inspection> {
  const { modulePath: _before, ...rest } = inspection;
  const params = { sourceId: inspection.sourceId };
  const changed = await api.updateSource({ params, body: { authConnectionId } }, keyOf(`source ${authConnectionId}`));
  queryClient.setQueryData(keys.source(inspection.sourceId), changed.body.source);
  invalidateRecord({ kind: 'source', id: inspection.sourceId });
  const { body } = await api.syncSource({ params, body: { intent: 'manual_plan' } }, keyOf('sync'));
  return { ...rest, syncRunId: body.run.id };
}
