import type { JsonObject } from '#shared/kernel/json';
import type { LaunchContext } from '../launch-context.ts';
import { providerArgumentsOf } from './provider-arguments.ts';

type Context = Pick<LaunchContext, 'job' | 'names'>;

/** Returns the variables of a plan: those of the Job, and those generated for provider arguments. */
export const planVariables = ({ job, names }: Context): JsonObject => ({
  ...job.variables,
  ...providerArgumentsOf(job, names).values,
});

/** Returns the ephemeral variables, which an apply needs again because a plan does not contain them; undefined for none. */
export function applyVariables({ job, names }: Context): JsonObject | undefined {
  const ephemeralNames = job.ephemeralVariables.filter((name) => Object.hasOwn(job.variables, name));
  const values: JsonObject = {
    ...Object.fromEntries(ephemeralNames.map((name) => [name, job.variables[name] ?? null])),
    ...providerArgumentsOf(job, names).values,
  };
  return Object.keys(values).length === 0 ? undefined : values;
}
