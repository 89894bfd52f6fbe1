import {
  type CapsuleLocation,
  findEndpoint,
  findMisfit,
  findOversize,
  type HostnameRules,
  isAdopted,
  isOrigin,
  isSettable,
  secretNames,
  settleValues,
  signInNames,
} from '#server/domains/install-configs/index';
import { AppError, invalidArgument } from '#server/kernel/errors';
import type { VariablePatch } from '#shared/configuration-plans/api';
import { holdsSentinel, redactedSentinel } from '#shared/install-configs/contract';
import type { InstallParts, PublicHostname } from '#shared/install-configs/parts';
import { escapePointer, type Json, type JsonObject } from '#shared/kernel/json';
import { findSecretLike } from '#shared/secret-like';
import type { VariableDeclaration } from '#shared/sources/module-scan';

/** Values of the variables of a configuration with the names that are secret, also where such a name has no value. */
export type VariableValues = { variables: JsonObject; secretVariables: readonly string[] };
/** Values after a patch, with the parts that record the hostname they contain. */
export type PatchedValues = VariableValues & { parts?: InstallParts };

/**
 * Declarations that a patch is checked against: those of the module, the names that bound Connections or Dependencies give a value, and
 * those of the manifest.
 */
export type VariableContract = {
  declarations: readonly VariableDeclaration[];
  defaults?: readonly string[];
  /** Presentation of the configuration, with the Capsule's location that its names follow from. */
  configured?: {
    parts: InstallParts;
    location: CapsuleLocation;
    /** Hostname of the current configuration. */
    previous?: PublicHostname | undefined;
    hostnames: HostnameRules;
  };
};

const setField = (name: string): string => `/variablePatch/set/${escapePointer(name)}`;

/** Refuses the placeholder that projections show instead of a secret. 400 `capsule_configuration_redacted_value_reserved`. */
export function refuseSentinels({ set }: VariablePatch): void {
  for (const [name, value] of Object.entries(set)) {
    if (!holdsSentinel(value)) continue;
    throw invalidArgument(
      'capsule_configuration_redacted_value_reserved',
      `The text "${redactedSentinel}" stands for a secret value that is kept. Leave the variable out to keep it.`,
      { field: setField(name) },
    );
  }
}

/**
 * Returns the values after a patch, checked against the declarations of the module. A kept secret stays secret, and so does a value for a
 * name that was secret or is declared sensitive. Throws 400; no message contains a value.
 */
export function patchValues(current: VariableValues, patch: VariablePatch, contract: VariableContract): PatchedValues {
  const { declarations, defaults = [], configured } = contract;
  const declared = new Map(declarations.map((declaration) => [declaration.name, declaration]));
  if (isAdopted(configured?.parts)) requireSettable(patch, configured?.parts ?? {});
  else refuseFixed(patch, configured?.parts ?? {});
  requireKnown(patch, { declared, current });
  const existing = Object.entries(current.variables).filter(
    ([name]) => !patch.remove.includes(name) && !Object.hasOwn(patch.set, name),
  );
  const { variables, parts } = configured
    ? settleValues({ ...configured, provided: patch.set, existing: Object.fromEntries(existing) as JsonObject })
    : { variables: Object.fromEntries([...existing, ...Object.entries(patch.set)]) as JsonObject };
  const secret = secretNames({ values: variables, secret: current.secretVariables, declarations, ...configured });
  checkSet(patch.set, { declared, secret });
  checkExisting(existing as [string, Json][], declared);
  if (configured) checkAnswers(configured.parts, { variables, patch, defaults });
  requireAll(declarations, { variables, patch, defaults: [...defaults, ...signInNames(configured?.parts)] });
  if (findOversize(variables) !== undefined) {
    throw new AppError(
      'invalid_request',
      'With this change there would be too many variables, or too large ones. Set fewer or shorter values.',
      {
        details: { field: '/variablePatch/set' },
      },
    );
  }
  const secretVariables = [...new Set([...current.secretVariables, ...secret])];
  return { variables, secretVariables, ...(parts && { parts }) };
}

/** Refuses variables that the manifest does not ask a person for. */
function requireSettable({ set, remove }: VariablePatch, { variablePresentation = [] }: InstallParts): void {
  const settable = new Set(variablePresentation.filter(isSettable).map(({ name }) => name));
  const refuse = (field: string) =>
    invalidArgument(
      'capsule_configuration_manifest_user_variable_invalid',
      'The manifest of this Capsule does not ask for this variable. Leave it out.',
      { field },
    );
  const strange = Object.keys(set).find((name) => !settable.has(name));
  if (strange !== undefined) throw refuse(setField(strange));
  const unset = remove.findIndex((name) => !settable.has(name));
  if (unset >= 0) throw refuse(`/variablePatch/remove/${unset}`);
}

const fixedNames = (parts: InstallParts): string[] => [
  ...(parts.variablePresentation ?? []).filter((one) => !isSettable(one)).map(({ name }) => name),
  ...signInNames(parts),
];

/** Refuses variables that the operator, the installation or the sign-in sets. */
function refuseFixed({ set, remove }: VariablePatch, parts: InstallParts): void {
  const fixed = new Set(fixedNames(parts));
  const refuse = (field: string) =>
    invalidArgument(
      'capsule_configuration_generic_variable_invalid',
      'The server or its operator sets this variable. Leave it out.',
      { field },
    );
  const named = Object.keys(set).find((name) => fixed.has(name));
  if (named !== undefined) throw refuse(setField(named));
  const removed = remove.findIndex((name) => fixed.has(name));
  if (removed >= 0) throw refuse(`/variablePatch/remove/${removed}`);
}

/** Checks the values against the rules of the manifest, beyond the declarations of the module. */
function checkAnswers(
  parts: InstallParts,
  { variables, patch, defaults }: { variables: JsonObject; patch: VariablePatch; defaults: readonly string[] },
): void {
  const url = findEndpoint(parts)?.variables.url;
  if (url !== undefined && Object.hasOwn(patch.set, url) && !isOrigin(patch.set[url]))
    throw invalidArgument(
      'capsule_configuration_value_type_mismatch',
      `The variable "${url}" must be an address such as https://wiki.example.org, without a path.`,
      { field: setField(url) },
    );
  const missing = parts.variablePresentation?.find(
    (one) => isSettable(one) && one.required && !Object.hasOwn(variables, one.name) && !defaults.includes(one.name),
  );
  if (!missing) return;
  throw invalidArgument(
    'capsule_configuration_required_value_missing',
    `The variable "${missing.name}" needs a value.`,
    { field: setField(missing.name) },
  );
}

type Declared = ReadonlyMap<string, VariableDeclaration>;

/** A value that the module does not declare any more may still be removed. */
function requireKnown(patch: VariablePatch, known: { declared: Declared; current: VariableValues }): void {
  const refuse = (field: string) =>
    invalidArgument(
      'capsule_configuration_generic_variable_invalid',
      'The module does not have a variable of this name. Leave it out.',
      {
        field,
      },
    );
  const strange = Object.keys(patch.set).find((name) => !known.declared.has(name));
  if (strange !== undefined) throw refuse(setField(strange));
  const unset = patch.remove.findIndex(
    (name) => !known.declared.has(name) && !Object.hasOwn(known.current.variables, name),
  );
  if (unset >= 0) throw refuse(`/variablePatch/remove/${unset}`);
}

function checkSet(set: VariablePatch['set'], known: { declared: Declared; secret: readonly string[] }): void {
  for (const [name, value] of Object.entries(set)) {
    const misfit = findMisfit(known.declared.get(name) as VariableDeclaration, value);
    if (misfit) {
      throw invalidArgument('capsule_configuration_value_type_mismatch', misfit.message, {
        field: setField(name) + misfit.pointer,
      });
    }
    if (known.secret.includes(name) || !findSecretLike(value)) continue;
    throw invalidArgument(
      'secret_like_value',
      'The value looks like a credential, and the module does not declare this variable sensitive. Declare it, and sync again.',
      { field: setField(name) },
    );
  }
}

function checkExisting(existing: readonly [string, Json][], declared: Declared): void {
  for (const [name, value] of existing) {
    const declaration = declared.get(name);
    const message = declaration
      ? findMisfit(declaration, value)?.message
      : `The module does not have the variable "${name}" any more. Remove its value.`;
    if (message === undefined) continue;
    throw invalidArgument(
      'capsule_configuration_current_value_invalid',
      `A kept value is not valid any more. Set or remove it. ${message}`,
      { field: setField(name) },
    );
  }
}

function requireAll(
  declarations: readonly VariableDeclaration[],
  input: { variables: JsonObject; patch: VariablePatch; defaults: readonly string[] },
): void {
  const missing = declarations.find(
    ({ name, hasDefault }) => !hasDefault && !Object.hasOwn(input.variables, name) && !input.defaults.includes(name),
  );
  if (!missing) return;
  const removed = input.patch.remove.indexOf(missing.name);
  throw invalidArgument(
    'capsule_configuration_required_value_missing',
    `The variable "${missing.name}" has no default, so it needs a value.`,
    { field: removed < 0 ? setField(missing.name) : `/variablePatch/remove/${removed}` },
  );
}
