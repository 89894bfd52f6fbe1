import type { Connection } from '#shared/connections/contract';
import { recipeFits } from '#shared/connections/provider-source';
import type { Recipe } from '#shared/connections/recipe';
import { isSameSource } from '#shared/kernel/provider-source';
import type { ProviderBinding } from '#shared/provider-bindings/contract';
import type { ProviderRequirement, ProviderResolution } from '#shared/runs/provider-resolution';

/** The Connection chosen for each provider configuration, by the key of its tuple. */
export type Chosen = Readonly<Record<string, string>>;

type Tuple = Pick<ProviderRequirement, 'providerSource' | 'providerName' | 'alias'>;

export const keyOfTuple = ({ providerSource, providerName, alias }: Tuple): string =>
  [providerSource, providerName, alias ?? ''].join(' ');

/** Provider requirements of the root module that can be bound, without duplicates. */
export function boundable(requirements: readonly ProviderRequirement[]): ProviderRequirement[] {
  const byKey = new Map(requirements.map((one) => [keyOfTuple(one), one]));
  return [...byKey.values()];
}

/** Returns the chosen bindings. Choices for providers that the module does not have are dropped. */
export const bindingsOf = (requirements: readonly ProviderRequirement[], chosen: Chosen): ProviderBinding[] =>
  boundable(requirements).flatMap((requirement) => {
    const connectionId = chosen[keyOfTuple(requirement)];
    const { providerSource, providerName, alias } = requirement;
    return connectionId === undefined
      ? []
      : [
          {
            provider: providerSource,
            moduleLocalName: providerName,
            ...(alias !== undefined && { childAlias: alias }),
            connectionId,
          },
        ];
  });

/** Returns the choices for existing bindings, also when the provider is spelled differently. */
export function chosenOf(requirements: readonly ProviderRequirement[], bindings: readonly ProviderBinding[]): Chosen {
  return Object.fromEntries(
    boundable(requirements).flatMap((requirement) => {
      const binding = bindings.find((one) => isFor(one, requirement));
      return binding ? [[keyOfTuple(requirement), binding.connectionId]] : [];
    }),
  );
}

const isFor = (binding: ProviderBinding, { providerSource, providerName, alias }: Tuple): boolean =>
  binding.moduleLocalName === providerName &&
  binding.childAlias === alias &&
  (binding.provider === providerSource || isSameSource(binding.provider, providerSource));

export const resolutionOf = (
  resolutions: readonly ProviderResolution[] | undefined,
  tuple: Tuple,
): ProviderResolution | undefined =>
  resolutions?.find(({ requirement }) => keyOfTuple(requirement) === keyOfTuple(tuple));

export const isBlocked = ({ status }: ProviderResolution): boolean => status !== 'resolved_provider_connection';

/**
 * Connections for a provider, by its name or by a recipe that serves several, usable ones first. Revoked ones are left
 * out, because their values are erased.
 */
export function choicesFor(
  { providerSource }: Tuple,
  { connections, recipes }: { connections: readonly Connection[]; recipes: readonly Recipe[] },
): Connection[] {
  const fitting = connections.filter(
    (one) =>
      one.kind === undefined &&
      one.status !== 'revoked' &&
      (isSameSource(one.providerSource, providerSource) ||
        recipes.some((recipe) => recipe.id === one.credentialRecipe?.id && isRecipeFor(recipe, providerSource))),
  );
  return [...fitting.filter(isUsable), ...fitting.filter((one) => !isUsable(one))];
}

const isRecipeFor = (recipe: Recipe, source: string): boolean =>
  recipe.terraformSource !== '*' && recipeFits(recipe, source);

export const isUsable = ({ status }: Connection): boolean => status === 'pending' || status === 'verified';

/**
 * Reports whether a provider probably needs credentials: a hint says so, or a recipe or a Connection exists for it. The
 * others, such as those that generate random numbers, are listed in a fold.
 */
export function isLikely(
  requirement: ProviderRequirement,
  known: {
    chosen: Chosen;
    resolutions: readonly ProviderResolution[] | undefined;
    connections: readonly Connection[];
    recipes: readonly Recipe[];
  },
): boolean {
  return (
    known.chosen[keyOfTuple(requirement)] !== undefined ||
    resolutionOf(known.resolutions, requirement) !== undefined ||
    choicesFor(requirement, known).length > 0 ||
    known.recipes.some((recipe) => isRecipeFor(recipe, requirement.providerSource))
  );
}
