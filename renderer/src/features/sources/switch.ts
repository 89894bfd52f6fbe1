import type { Source } from '#shared/sources/contract';
import { api } from '../../api/client.ts';
import { useIntent } from '../../api/intent.ts';
import { invalidateRecord } from '../../api/queries.ts';

/** Disables or enables a Source. */
export const useSwitch = (source: Source) =>
  useIntent(async (keyOf) => {
    const status = source.status === 'disabled' ? 'active' : 'disabled';
    await api.updateSource({ params: { sourceId: source.id }, body: { status } }, keyOf(status));
    invalidateRecord({ kind: 'source', id: source.id });
  });
