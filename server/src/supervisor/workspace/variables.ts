import type { JsonObject } from '#shared/kernel/json';
import type { LaunchContext } from '../launch-context.ts';
import { providerArgumentsOf } from './provider-arguments.ts';

type Context = Pick<LaunchContext, 'spec' | 'names'>;

/** Returns the variables of a plan: those of the spec, and those generated for provider arguments. */
export const planVariables = ({ spec, names }: Context): JsonObject => ({
  ...spec.variables,
  ...providerArgumentsOf(spec, names).values,
});

/** Returns the ephemeral variables, which an apply needs again because a plan does not contain them; undefined for none. */
export function applyVariables({ spec, names }: Context): JsonObject | undefined {
  const ephemeralNames = spec.ephemeralVariables.filter((name) => Object.hasOwn(spec.variables, name));
  const values: JsonObject = {
    ...Object.fromEntries(ephemeralNames.map((name) => [name, spec.variables[name] ?? null])),
    ...providerArgumentsOf(spec, names).values,
  };
  return Object.keys(values).length === 0 ? undefined : values;
}
