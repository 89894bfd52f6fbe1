import { jsonDigest } from '#server/kernel/digest';
import type { InstallParts } from '#shared/install-configs/parts';
import { boundedJson, escapePointer, findOutOfBounds, type Json, type JsonObject } from '#shared/kernel/json';
import { limits } from '#shared/limits';
import { findSecretLike } from '#shared/secret-like';
import type { VariableDeclaration } from '#shared/sources/module-scan';
import { isSettable } from './host-values.ts';
import { findMisfit } from './misfit.ts';
import { findEndpoint, isOrigin } from './public-address.ts';
import { signInNames } from './sign-in.ts';

const maxVariables = 256;

type Problem = {
  code: 'install_variable_invalid' | 'install_variable_required';
  message: string;
  reason?: string;
};
/** An error in the input, and the JSON Pointer to it in the request. */
type Fault = { problem: Problem; pointer: string };
/** A variable that a Dependency feeds, and the JSON Pointer to it in the request. */
export type InjectedVariable = { name: string; pointer: string };
type VariableCheckInput = {
  values: JsonObject;
  secret: readonly string[];
  declarations: readonly VariableDeclaration[];
  /** Names that bound Connections give a default. */
  defaults?: readonly string[];
  injected?: readonly InjectedVariable[];
  /** Presentation of the configuration. Where a manifest was compiled into it, only what it asks for can be set. */
  parts?: InstallParts;
};

/** True when a manifest was compiled into the configuration. */
export const isAdopted = (parts: InstallParts | undefined): boolean =>
  parts?.installExperience?.repositoryInstallUx !== undefined;

/**
 * Names whose values are secret: those that the module declares sensitive, those that the installer names, and those that the
 * configuration presents as secret.
 */
export const secretNames = ({ values, secret, declarations, parts }: VariableCheckInput): string[] => [
  ...new Set([
    ...Object.keys(values).filter(
      (name) => secret.includes(name) || declarations.some((declared) => declared.name === name && declared.sensitive),
    ),
    ...(parts?.variablePresentation ?? []).flatMap(({ name, secret: isSecret }) => (isSecret ? [name] : [])),
  ]),
];

const invalid = (message: string, reason?: string): Problem => ({
  code: 'install_variable_invalid',
  message: message.slice(0, 256),
  ...(reason && { reason }),
});

/** Returns the first error in the values of an installation, as a diagnostic that never contains a value. */
export const findVariableProblem = (input: VariableCheckInput): Problem | undefined =>
  findVariableFault(input)?.problem;

/** The same with a JSON Pointer to it. */
export function findVariableFault(input: VariableCheckInput): Fault | undefined {
  const known = new Map(input.declarations.map((declared) => [declared.name, declared]));
  const hidden = new Set(secretNames(input));
  for (const [name, value] of Object.entries(input.values)) {
    const declared = known.get(name);
    const problem =
      (declared
        ? (findValueProblem(declared, value as Json) ??
          (hidden.has(name) ? undefined : findExposure(name, value as Json)))
        : invalid(undeclared(name))) ?? findUnasked(name, { value: value as Json, parts: input.parts ?? {} });
    if (problem) return { problem, pointer: pointerOf(name) };
  }
  return findInjectionFault(input, known) ?? findLack(input);
}

/** Returns the first variable that needs a value and has none. */
function findLack(input: VariableCheckInput): Fault | undefined {
  const undefaulted = isAdopted(input.parts) ? undefined : findUndefaulted(input);
  const missing = undefaulted ?? findMissing(input);
  if (missing === undefined) return undefined;
  const message =
    undefaulted === undefined
      ? `The variable "${missing}" needs a value.`
      : `The variable "${missing}" has no default, so it needs a value.`;
  return {
    problem: { code: 'install_variable_required', message: message.slice(0, 256) },
    pointer: pointerOf(missing),
  };
}

const undeclared = (name: string): string => `The module does not have the variable "${name}". Leave it out.`;

/** Returns the first variable of a Dependency that the module does not have, or that is not asked for. */
function findInjectionFault(
  { injected = [], parts = {} }: VariableCheckInput,
  declared: ReadonlyMap<string, VariableDeclaration>,
): Fault | undefined {
  for (const { name, pointer } of injected) {
    const problem = declared.has(name) ? findUnaskedName(name, parts) : invalid(undeclared(name));
    if (problem) return { problem, pointer };
  }
  return undefined;
}

const hasValue = ({ values, defaults, injected }: VariableCheckInput, name: string): boolean =>
  Object.hasOwn(values, name) ||
  defaults?.includes(name) === true ||
  injected?.some((one) => one.name === name) === true;

/** Names that get a value without the installer. */
const suppliedNames = ({ variablePresentation = [] }: InstallParts): string[] =>
  variablePresentation.flatMap((one) =>
    !isSettable(one) || one.generated || one.defaultValue !== undefined ? [one.name] : [],
  );

function findUndefaulted(input: VariableCheckInput): string | undefined {
  const supplied = [...suppliedNames(input.parts ?? {}), ...signInNames(input.parts)];
  const isMissing = (name: string) => !supplied.includes(name) && !hasValue(input, name);
  return input.declarations.find(({ name, hasDefault }) => !hasDefault && isMissing(name))?.name;
}

const findMissing = (input: VariableCheckInput): string | undefined =>
  input.parts?.variablePresentation?.find(
    (one) => isSettable(one) && one.required && one.defaultValue === undefined && !hasValue(input, one.name),
  )?.name;

function findUnaskedName(name: string, parts: InstallParts): Problem | undefined {
  const presented = parts.variablePresentation?.find((one) => one.name === name);
  const isOpen = !signInNames(parts).includes(name) && (presented ? isSettable(presented) : !isAdopted(parts));
  return isOpen ? undefined : invalid(`The variable "${name}" is not asked for here. Leave it out.`);
}

function findUnasked(name: string, { value, parts }: { value: Json; parts: InstallParts }): Problem | undefined {
  const unasked = findUnaskedName(name, parts);
  if (unasked) return unasked;
  const isAddress = findEndpoint(parts)?.variables.url === name;
  if (!isAddress || isOrigin(value)) return undefined;
  return invalid(`The variable "${name}" must be an address such as https://wiki.example.org, without a path.`);
}

const pointerOf = (name: string): string => `/variables/${escapePointer(name)}`;

function findValueProblem(declared: VariableDeclaration, value: Json): Problem | undefined {
  const misfit = findMisfit(declared, value);
  return misfit && invalid(misfit.message);
}

/** Digest of the declarations that values are checked against: names, types, defaults, and sensitivity. */
export const variableContractDigest = (declarations: readonly VariableDeclaration[]): string =>
  jsonDigest(
    [...declarations]
      .sort((a, b) => (a.name < b.name ? -1 : 1))
      .map(({ name, type, typeText, hasDefault, sensitive, nullable, ephemeral }) => ({
        name,
        type: typeText ?? type,
        hasDefault,
        sensitive: sensitive ?? false,
        nullable: nullable ?? true,
        ephemeral: ephemeral ?? false,
      })),
  );

function findExposure(name: string, value: Json): Problem | undefined {
  if (!findSecretLike(value)) return undefined;
  return invalid(
    `The variable "${name}" contains something that looks like a credential. Name it in secretVariables, so that it is kept sealed.`,
    'secret_like_value',
  );
}

/** Returns a JSON Pointer to the submitted variable that is too large; undefined when all are within the limits. */
export function findOversize(values: JsonObject): string | undefined {
  if (Object.keys(values).length > maxVariables) return '/variables';
  if (Buffer.byteLength(JSON.stringify(values)) > limits.variablesBytes) return '/variables';
  const pointer = findOutOfBounds(values, boundedJson);
  return pointer === undefined ? undefined : `/variables${pointer}`;
}
