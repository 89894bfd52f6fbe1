import { failedPrecondition } from '#server/kernel/errors';
import type { ProviderResolution } from '#shared/runs/provider-resolution';
import { tupleName } from './match.ts';
import { blockReasonMessage } from './messages.ts';

/** Nothing is bound to a provider that cannot do without, in contrast to a Connection that cannot be used. */
export const isUnbound = ({ blockedReason }: ProviderResolution): boolean => blockedReason === 'connection_required';

const tupleIn = ({ requirement: { providerSource, providerName, alias } }: ProviderResolution) => ({
  provider: providerSource,
  moduleLocalName: providerName,
  ...(alias !== undefined && { childAlias: alias }),
});

/** What is wrong with a blocked resolution, and what to do. */
export const blockMessage = (resolution: ProviderResolution): string =>
  blockReasonMessage(resolution.blockedReason ?? 'connection_required', tupleName(tupleIn(resolution)));

/**
 * 409 `provider_connection_not_ready` for a bound Connection that cannot be used, else 409
 * `provider_connection_setup_required` for a provider that needs one; details name the tuple and why.
 */
export function requireSupported(resolutions: readonly ProviderResolution[]): void {
  const missing = resolutions.filter(({ status }) => status === 'blocked_missing_connection');
  const first = missing.find((one) => !isUnbound(one)) ?? missing[0];
  if (!first) return;
  const { connectionId, blockedReason = '' } = first;
  const reason = isUnbound(first) ? 'provider_connection_setup_required' : 'provider_connection_not_ready';
  throw failedPrecondition(reason, blockMessage(first), {
    ...tupleIn(first),
    ...(connectionId !== undefined && { connectionId }),
    why: blockedReason.replace('connection_', ''),
  });
}
