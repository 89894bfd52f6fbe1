import type { JsonObject } from '#shared/kernel/json';
import type { LaunchContext } from '../launch-context.ts';
import { providerArgumentsOf } from './provider-arguments.ts';

type Context = Pick<LaunchContext, 'job' | 'names'>;

/** What a plan is given: every variable, and those that were generated for the arguments of providers. */
export const planVariables = ({ job, names }: Context): JsonObject => ({
  ...job.variables,
  ...providerArgumentsOf(job, names).values,
});

/** A plan carries every value but those of ephemeral variables, which an apply is given again; undefined for none. */
export function applyVariables({ job, names }: Context): JsonObject | undefined {
  const ephemeralNames = job.ephemeralVariables.filter((name) => Object.hasOwn(job.variables, name));
  const values: JsonObject = {
    ...Object.fromEntries(ephemeralNames.map((name) => [name, job.variables[name] ?? null])),
    ...providerArgumentsOf(job, names).values,
  };
  return Object.keys(values).length === 0 ? undefined : values;
}
