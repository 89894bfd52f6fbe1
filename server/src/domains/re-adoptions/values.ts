import {
  type PatchedValues,
  patchValues,
  refuseSentinels,
  type VariableContract,
} from '#server/domains/configuration-plans/index';
import {
  isAdopted,
  isSettable,
  type PrivateConfig,
  secretNames,
  signInNames,
} from '#server/domains/install-configs/index';
import { AppError } from '#server/kernel/errors';
import type { InstallParts } from '#shared/install-configs/parts';
import { escapePointer, type JsonObject } from '#shared/kernel/json';
import type { VariableDeclaration } from '#shared/sources/module-scan';

type ReAdoptValuesInput = {
  current: PrivateConfig;
  contract: VariableContract;
  /** The complete set of inputs that are not secret; when absent, the current values stay. */
  reviewed: JsonObject | undefined;
};

const reviewedField = '/reviewedUserVariables';

/**
 * Returns the values under another version of a configuration. Reviewed inputs replace all values that are not secret, so that an input
 * left out is unset; secrets stay sealed as they are; generated values are computed again. Throws 400 `invalid_request` with the reason,
 * and never a value.
 */
export function reAdoptValues({ current, contract, reviewed }: ReAdoptValuesInput): PatchedValues {
  const secret = new Set(secretNamesOf(current, contract));
  if (reviewed) requireReviewable(reviewed, { contract, secret });
  const stays = (name: string): boolean =>
    secret.has(name) ? isStillSecret(name, contract) : staysOpen(name, { current, contract, isReviewed: !!reviewed });
  const retained = Object.fromEntries(Object.entries(current.variables).filter(([name]) => stays(name))) as JsonObject;
  const before = { variables: retained, secretVariables: current.secretVariables.filter(stays) };
  return asRequestFault(() => {
    const patch = { set: reviewed ?? {}, remove: [] };
    refuseSentinels(patch);
    return patchValues(before, patch, contract);
  });
}

const presentedIn = (parts: InstallParts | undefined) => parts?.variablePresentation ?? [];
const findPresented = (name: string, parts: InstallParts | undefined) =>
  presentedIn(parts).find((one) => one.name === name);

function secretNamesOf(current: PrivateConfig, { declarations, configured }: VariableContract): string[] {
  const values = { ...current.variables, ...Object.fromEntries(declarations.map(({ name }) => [name, null])) };
  const generated = [current.parts, configured?.parts].flatMap((parts) => parts?.generatedSecrets ?? []);
  return [
    ...secretNames({ values, secret: current.secretVariables, declarations, ...configured }),
    ...generated.map(({ variable }) => variable),
  ];
}

/** Drops values that neither the module nor the manifest declares any more. */
const isStillSecret = (name: string, { declarations, configured }: VariableContract): boolean =>
  declarations.some((declared) => declared.name === name) &&
  (!isAdopted(configured?.parts) ||
    findPresented(name, configured?.parts) !== undefined ||
    configured?.parts.generatedSecrets?.some(({ variable }) => variable === name) === true);

type Open = { current: PrivateConfig; contract: VariableContract; isReviewed: boolean };

/** Inputs stay unless they are reviewed again; names and addresses that the previous version generated are dropped. */
function staysOpen(name: string, { current, contract, isReviewed }: Open): boolean {
  const now = findPresented(name, contract.configured?.parts);
  if (!isAdopted(contract.configured?.parts)) return !isReviewed || (now !== undefined && !isSettable(now));
  const before = findPresented(name, current.parts);
  const isInput = [now, before].some((one) => one !== undefined && isSettable(one));
  return isInput ? !isReviewed : now !== undefined;
}

/** Refuses inputs that cannot be reviewed: secrets, generated values, and variables that are not asked for. */
function requireReviewable(
  reviewed: JsonObject,
  { contract, secret }: { contract: VariableContract; secret: ReadonlySet<string> },
): void {
  const isReviewable = (name: string): boolean => {
    const { configured, declarations } = contract;
    const presented = findPresented(name, configured?.parts);
    if (signInNames(configured?.parts).includes(name)) return false;
    if (presented !== undefined) return isSettable(presented);
    if (isAdopted(configured?.parts)) return false;
    return declarations.some((declared: VariableDeclaration) => declared.name === name);
  };
  const strange = Object.keys(reviewed).find((name) => secret.has(name) || !isReviewable(name));
  if (strange === undefined) return;
  throw new AppError(
    'invalid_request',
    'Only inputs that are not secret and that this version asks a person for can be reviewed. Leave the others out.',
    {
      details: {
        reason: 'capsule_configuration_manifest_user_variable_invalid',
        field: `${reviewedField}/${escapePointer(strange)}`,
      },
    },
  );
}

/** Values follow the rules of any change; a re-adoption reports violations as errors of its request. */
function asRequestFault<T>(judge: () => T): T {
  try {
    return judge();
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'invalid_argument') throw error;
    const { field, ...details } = error.details ?? {};
    const named = typeof field === 'string' && field.replace('/variablePatch/set', reviewedField);
    throw new AppError('invalid_request', error.message, { details: { ...details, ...(named && { field: named }) } });
  }
}
