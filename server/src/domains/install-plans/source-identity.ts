import type { SourcesService } from '#server/domains/sources/index';
import type { PlanState } from './plan-steps.ts';

type SourceIdentityPorts = {
  sources: Pick<SourcesService, 'findWorkspace' | 'getSource' | 'canonicalUrl'>;
};
type Requested = Pick<PlanState, 'sourceId'> & {
  row: { workspaceId: string; request: { source: { url: string; authConnectionId?: string | undefined } } };
};

/** Returns whether the Source of a plan still exists, is active, and is read from the requested URL by the same Connection. */
export function isSameSource({ sources }: SourceIdentityPorts, { sourceId = '', row }: Requested): boolean {
  if (sources.findWorkspace(sourceId) !== row.workspaceId) return false;
  const source = sources.getSource(sourceId);
  const { url, authConnectionId } = row.request.source;
  return (
    source.status !== 'disabled' &&
    source.url === sources.canonicalUrl(url) &&
    source.authConnectionId === authConnectionId
  );
}
