import type { RunInputs } from '#server/domains/plans/index';
import type { JsonObject } from '#shared/kernel/json';

export const variablesName = 'terraform.tfvars.json';

/** Returns the values that are not secret. */
export const openVariables = (inputs: RunInputs): JsonObject =>
  Object.fromEntries([...inputs].filter(([, { isSecret }]) => !isSecret).map(([name, { value }]) => [name, value]));

export const secretNames = (inputs: RunInputs): string[] =>
  [...inputs].filter(([, { isSecret }]) => isSecret).map(([name]) => name);
