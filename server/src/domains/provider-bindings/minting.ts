import {
  type ConnectionsService,
  completeMaterials,
  MintError,
  type Minted,
  type MintingRun,
  mintTarget,
} from '#server/domains/connections/index';
import type { Clock } from '#server/kernel/clock';
import { runCredentialLimits } from '#shared/limits';
import { tupleName } from './match.ts';
import type { BindingResolution, CredentialLifetime, SupportedProvider } from './resolve.ts';

/** Credentials that were minted for a Run, by the ids of its Connections. */
export type MintedCredentials = ReadonlyMap<string, Minted>;

type Deps = { connections: Pick<ConnectionsService, 'mint'>; clock: Clock };
export type MintCredentials = ReturnType<typeof createMinting>;

const acting = ({ supported }: BindingResolution): SupportedProvider[] =>
  supported.filter(({ description }) => description.action !== undefined);

/** Reports whether a Run has to get credentials of its own before it can be issued what it is bound to. */
export const needsMinting = (resolution: BindingResolution): boolean => acting(resolution).length > 0;

/**
 * Returns the function that gets the credentials for one Run, each Connection once. It throws a `MintError` whose
 * message names the provider configuration, and the reason of the signal.
 */
export const createMinting =
  ({ connections, clock }: Deps) =>
  async (run: MintingRun, resolution: BindingResolution, signal: AbortSignal): Promise<MintedCredentials> => {
    const minted = new Map<string, Minted>();
    for (const one of acting(resolution)) {
      const { id } = one.description;
      if (minted.has(id)) continue;
      const credentials = await withProviderName(one, async () => connections.mint(id, run, signal));
      if (!credentials) continue;
      await withProviderName(one, async () => checkLifetime(credentials, resolution.lifetime, clock.now()));
      minted.set(id, credentials);
    }
    return minted;
  };

/** Returns the resolution with the minted values in place. Throws a `MintError` when one is missing. */
export const completeResolution = (resolution: BindingResolution, minted: MintedCredentials): BindingResolution => ({
  ...resolution,
  supported: resolution.supported.map((one) => {
    const credentials = minted.get(one.description.id);
    if (!credentials) return one;
    try {
      return { ...one, materials: completeMaterials(one.materials, credentials) };
    } catch (error) {
      throw nameProvider(error, one);
    }
  }),
});

async function withProviderName<T>(one: SupportedProvider, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw nameProvider(error, one);
  }
}

/** Names the provider configuration in the message of a `MintError`. */
function nameProvider(error: unknown, { binding }: SupportedProvider): unknown {
  if (!(error instanceof MintError)) return error;
  return new MintError(
    error.code,
    error.message.replace(mintTarget, () => tupleName(binding)),
  );
}

function checkLifetime({ expiresAt }: Minted, lifetime: CredentialLifetime, now: number): void {
  if (lifetime === 'any') return;
  if (expiresAt === undefined)
    throw new MintError(
      'credential_policy_failed',
      `A policy asks for temporary credentials, and those issued for ${mintTarget} have no expiry. Bind another Connection.`,
    );
  if (lifetime === 'enforced' && expiresAt > now + runCredentialLimits.longestSeconds * 1_000)
    throw new MintError(
      'credential_policy_failed',
      `A policy asks for credentials that expire within a day, and those issued for ${mintTarget} live longer. Ask the operator for shorter ones.`,
    );
}
