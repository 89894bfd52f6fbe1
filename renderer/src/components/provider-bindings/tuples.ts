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

/** The requirements that a binding can be for: those of the root module, each once. */
export function boundable(requirements: readonly ProviderRequirement[]): ProviderRequirement[] {
  const byKey = new Map(requirements.map((one) => [keyOfTuple(one), one]));
  return [...byKey.values()];
}

/** The bindings that were chosen; what is chosen for a provider that the module does not have is left out. */
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

/** The choice behind bindings; one whose provider is written otherwise is found all the same. */
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
 * The Connections made for a provider, by its name or by a recipe that serves several; those that work first. Revoked ones
 * are left out: nothing of them is left.
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
 * Whether a provider is likely to want credentials: something says so, or there is a recipe of its own or a Connection
 * for it. The others, as those that make random numbers, are told in a fold.
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
