import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { capsuleBindingsQuery } from '../../api/bindings.ts';
import { ApiError } from '../../api/client.ts';
import { whenKnown } from '../../api/when-known.ts';
import { useText } from '../../i18n/text.ts';
import { buttonClass } from '../../ui/button.tsx';
import { isBlocked } from './tuples.ts';

/** Codes of Runs and refusals that choosing other Connections resolves. */
const codes: readonly unknown[] = [
  'provider_connection_not_ready',
  'provider_connection_setup_required',
  'provider_connection_changed',
  'credential_mint_failed',
  'credential_policy_failed',
];

export const isCredentialCode = (code: unknown): boolean => codes.includes(code);

export const isCredentialRefusal = (error: unknown): boolean =>
  error instanceof ApiError && isCredentialCode(error.details['reason'] ?? error.code);

/** Reports whether a provider of a Capsule has no usable Connection. */
export function useStopped(capsuleId: string | undefined): boolean {
  const { data } = useQuery(whenKnown(capsuleId, capsuleBindingsQuery));
  return data?.providerResolutions?.some(isBlocked) ?? false;
}

/** Link to the Connections of a Capsule. */
export function ChooseConnections({ capsuleId, isMain = true }: { capsuleId: string; isMain?: boolean }) {
  const t = useText();
  return (
    <Link
      to="/capsules/$id/configuration"
      params={{ id: capsuleId }}
      hash="credentials"
      className={buttonClass(isMain ? 'primary' : 'plain')}
    >
      {t('binding.choose')}
    </Link>
  );
}
