import type { ConnectionsService, Unusable } from '#server/domains/connections/index';
import { requirementsOf } from '#server/domains/sources/index';
import { failedPrecondition, invalidArgument } from '#server/kernel/errors';
import { recipeFits } from '#shared/connections/provider-source';
import { isSameSource } from '#shared/kernel/provider-source';
import type { ProviderBinding } from '#shared/provider-bindings/contract';
import { refuseRepeats, refuseStrangers } from './match.ts';
import { blockReasonMessage } from './messages.ts';
import type { BindingResolver, ModuleBindingsInput } from './resolution.ts';
import { requireSupported } from './supported.ts';

type BindingCheckInput = Pick<ModuleBindingsInput, 'workspaceId' | 'bindings' | 'report'>;

type Deps = {
  connections: Pick<ConnectionsService, 'findUnusable' | 'describe'>;
  findMissing: BindingResolver['findMissing'];
};

/** Checks that bindings pass before they are saved or used. */
/** Reasons that another check names better. */
const refusedLater: ReadonlySet<Unusable> = new Set(['missing', 'foreign', 'git', 'registry', 'storage']);

export function createBindingRequirements({ connections, findMissing }: Deps) {
  /**
   * Throws 400 `provider_binding_duplicate`, and `provider_binding_mismatch` for a tuple that the module does not have
   * or a Connection for another provider. Details name the field and the reason, never a submitted value.
   */
  function requireFitting({ workspaceId, bindings, report }: BindingCheckInput, field: string): void {
    refuseRepeats(bindings, field);
    refuseStrangers(bindings, requirementsOf(report), field);
    for (const [index, binding] of bindings.entries()) {
      const why = connections.findUnusable(binding.connectionId, workspaceId);
      if ((why !== undefined && refusedLater.has(why)) || isFor(binding)) continue;
      throw invalidArgument(
        'provider_binding_mismatch',
        'The Connection is for another provider. Bind one that is made for this provider.',
        { field: `${field}/${index}/connectionId`, why: 'connection_provider' },
      );
    }
  }

  /** Checks that these bindings may be saved: as `requireFitting`, and 409 `provider_connection_not_ready`. */
  function requireSound(input: BindingCheckInput, field: string): void {
    requireFitting(input, field);
    requireUsable(input, field);
  }

  /** Reports whether the Connection is for the provider, by name or by a recipe that serves several. */
  function isFor({ provider, connectionId }: ProviderBinding): boolean {
    const description = connections.describe(connectionId);
    if (!description) return false;
    const { providerSource, terraformSource } = description;
    return (
      isSameSource(providerSource, provider) || (terraformSource !== '*' && recipeFits({ terraformSource }, provider))
    );
  }

  function requireUsable(
    { workspaceId, bindings }: Pick<ModuleBindingsInput, 'workspaceId' | 'bindings'>,
    field: string,
  ): void {
    for (const [index, binding] of bindings.entries()) {
      const why = connections.findUnusable(binding.connectionId, workspaceId);
      if (why === undefined) continue;
      throw failedPrecondition(
        'provider_connection_not_ready',
        blockReasonMessage(`connection_${why}`, 'this provider'),
        {
          field: `${field}/${index}/connectionId`,
          why,
        },
      );
    }
  }

  return {
    requireFitting,
    requireSound,
    refuseRepeats,
    requireUsable,

    /**
     * Throws 409 for a Connection that cannot be used, and for a provider that needs a Connection and has none. Called
     * before anything is created.
     */
    requireSupported: ({ workspaceId, bindings, report }: BindingCheckInput): void =>
      requireSupported(findMissing({ workspaceId, bindings, requirements: requirementsOf(report) })),
  };
}
