import { incompleteLockProviders, type StreamEvent } from '#server/drivers/tofu/index';
import type { ProviderSources } from './workspace/provider-sources.ts';

type Sources = { network: boolean; sources: Pick<ProviderSources, 'storeProviders' | 'mirrorProviders'> };

/**
 * Recognizes the warning of an init about missing lock file checksums of other platforms, with its log line. A provider
 * from the operator's mirror or the package store always causes it; the lock file stays on this machine, so its advice
 * does not apply. A provider from its registry keeps the warning.
 */
export function createLockWarningFilter({ network, sources }: Sources): (event: StreamEvent) => boolean {
  const local = [...sources.storeProviders, ...sources.mirrorProviders];
  // The tool omits the host of its own registry.
  const isLocal = (name: string) => !network || local.some((one) => one === name || one.endsWith(`/${name}`));
  let line: string | undefined;
  return (event) => {
    if (event.kind === 'diagnostic') {
      const isMoot = incompleteLockProviders(event)?.every(isLocal) === true;
      line = isMoot ? `Warning: ${event.message}` : undefined;
      return isMoot;
    }
    const isItsLine = event.kind === 'log' && event.text === line;
    line = undefined;
    return isItsLine;
  };
}
