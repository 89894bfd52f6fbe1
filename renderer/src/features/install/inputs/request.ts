import type { CreateInstallPlan } from '#shared/coordinators/api';
import type { PlanConfiguration } from '#shared/coordinators/configuration';
import type { Json } from '#shared/kernel/json';
import { type Address, asName, repositoryName } from '../address.ts';
import { type Entries, type Input, outcomeOf } from './entry.ts';
import type { KeptCapsule } from './use-kept-capsule.ts';

export type Asked = { address: Address; modulePath: string; name: string; environment: string };

/** The names of the inputs that cannot be sent as they are, in the order of the form. */
export const findProblems = (inputs: readonly Input[], entries: Entries): string[] =>
  inputs
    .filter((input) => outcomeOf(input, entries[input.declared.name] ?? {}).kind === 'problem')
    .map(({ declared }) => declared.name);

type Values = { variables: Record<string, Json>; secretVariables: string[] };

/** What the form says: untouched inputs are left to the module's defaults. */
function valuesOf(inputs: readonly Input[], entries: Entries): Values {
  const values: Values = { variables: {}, secretVariables: [] };
  for (const input of inputs) {
    const { name, sensitive } = input.declared;
    const entry = entries[name] ?? {};
    const outcome = outcomeOf(input, entry);
    if (outcome.kind !== 'value') continue;
    values.variables[name] = outcome.value;
    if (entry.isSecret && !sensitive) values.secretVariables.push(name);
  }
  return values;
}

export function installRequest(asked: Asked, inputs: readonly Input[], entries: Entries): CreateInstallPlan {
  return {
    source: { name: asName(repositoryName(asked.address.url), 120) || 'module', ...asked.address },
    capsule: { name: asked.name, environment: asked.environment },
    options: { modulePath: asked.modulePath },
    ...(valuesOf(inputs, entries) as Pick<CreateInstallPlan, 'variables' | 'secretVariables'>),
  };
}

/** The same as a change of a Capsule that has values: sealed ones stay, others that are not typed any more go. */
export function configurationRequest(
  capsule: KeptCapsule,
  inputs: readonly Input[],
  entries: Entries,
): PlanConfiguration {
  const set = valuesOf(inputs, entries).variables as PlanConfiguration['variablePatch']['set'];
  const remove = capsule.setNames.filter((name) => !Object.hasOwn(set, name) && !capsule.sealedNames.includes(name));
  return {
    variablePatch: { set, remove },
    providerBindings: [],
    interfaceBlueprints: [],
    expected: { authorityGuard: capsule.authorityGuard },
  };
}
