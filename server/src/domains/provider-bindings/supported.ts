import { failedPrecondition } from '#server/kernel/errors';
import type { ProviderResolution } from '#shared/runs/provider-resolution';
import { tupleName } from './match.ts';
import { blockReasonMessage } from './messages.ts';

/** Reports whether a required Connection is not bound, as opposed to bound but unusable. */
export const isUnbound = ({ blockedReason }: ProviderResolution): boolean => blockedReason === 'connection_required';

const tupleIn = ({ requirement: { providerSource, providerName, alias } }: ProviderResolution) => ({
  provider: providerSource,
  moduleLocalName: providerName,
  ...(alias !== undefined && { childAlias: alias }),
});

/** Returns the problem with a blocked resolution, and the remedy. */
export const blockMessage = (resolution: ProviderResolution): string =>
  blockReasonMessage(resolution.blockedReason ?? 'connection_required', tupleName(tupleIn(resolution)));

/**
 * Throws 409 `provider_connection_not_ready` for a bound Connection that cannot be used, else 409
 * `provider_connection_setup_required` for a provider that needs one. Details name the tuple and the reason.
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
