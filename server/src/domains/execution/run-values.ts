import { type DependenciesService, type InjectedRunValues, nothingInjected } from '#server/domains/dependencies/index';
import type { InstallConfigsService } from '#server/domains/install-configs/index';
import type { CapsuleRun } from '#server/domains/runs/index';
import { isContainer, type Json, type JsonObject } from '#shared/kernel/json';

type Ports = {
  configs: Pick<InstallConfigsService, 'getPrivate'>;
  dependencies: Pick<DependenciesService, 'openSnapshot'>;
};
/** Values that a Run passes to the module, in clear. */
type RunValues = {
  variables: JsonObject;
  /** Texts that must never appear in anything that is stored. */
  secrets: string[];
  states: InjectedRunValues['states'];
};

/**
 * Returns the values of a Run; an apply gets those of its plan. Lowest precedence first: defaults of bound Connections, the
 * configuration, values from other Capsules, and those of a sign-in.
 */
export const createRunValues =
  ({ configs, dependencies }: Ports) =>
  ({ input: { installConfigId, bound, dependencySnapshotId, oidcAuthority } }: CapsuleRun): RunValues => {
    const config = configs.getPrivate(installConfigId);
    const injected =
      dependencySnapshotId === undefined ? nothingInjected : dependencies.openSnapshot(dependencySnapshotId);
    const variables = {
      ...bound?.inputs,
      ...config.variables,
      ...injected.variables,
      ...oidcAuthority?.variables,
    } as JsonObject;
    // An overridden value of the configuration is still a secret.
    const secrets = textsIn([
      ...pick(config.variables, config.secretVariables),
      ...pick(injected.variables, injected.secretVariables),
      ...injected.secrets,
    ]);
    return { variables, secrets, states: injected.states };
  };

const pick = (values: { readonly [name: string]: Json | undefined }, names: readonly string[]) =>
  names.map((name) => values[name]);

/** Returns every string inside secret values. */
export function textsIn(values: readonly (Json | undefined)[]): string[] {
  const texts = new Set<string>();
  const visit = (value: Json | undefined): void => {
    if (value === null || value === undefined || typeof value === 'boolean') return;
    if (!isContainer(value)) return void texts.add(String(value));
    texts.add(JSON.stringify(value));
    for (const child of Object.values(value)) visit(child as Json);
  };
  for (const value of values) visit(value);
  return [...texts].filter((text) => text !== '');
}
