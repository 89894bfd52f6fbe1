import { jsonDigest } from '#server/kernel/digest';
import type { InstallDiagnostic } from '#shared/coordinators/contract';
import { boundedJson, escapePointer, findOutOfBounds, type Json, type JsonObject } from '#shared/kernel/json';
import { limits } from '#shared/limits';
import { findSecretLike } from '#shared/secret-like';
import type { VariableDeclaration } from '#shared/sources/module-scan';
import { parseType } from '#shared/variables/type-expression';
import { checkValue } from '#shared/variables/value';

const maxVariables = 256;

type Problem = Pick<InstallDiagnostic, 'code' | 'message' | 'reason'>;
export type VariableAsk = {
  values: JsonObject;
  secret: readonly string[];
  declarations: readonly VariableDeclaration[];
  /** Names that bound Connections give a default. */
  defaults?: readonly string[];
};

/** Names whose values are secret: what the module declares sensitive, and what the installer asks to be treated so. */
export const secretNames = ({ values, secret, declarations }: VariableAsk): string[] =>
  Object.keys(values).filter(
    (name) => secret.includes(name) || declarations.some((declared) => declared.name === name && declared.sensitive),
  );

const invalid = (message: string, reason?: string): Problem => ({
  code: 'install_variable_invalid',
  message: message.slice(0, 256),
  ...(reason && { reason }),
});

/** The first thing wrong with the values of an installation, as a diagnostic that never holds a value. */
export const findVariableProblem = (ask: VariableAsk): Problem | undefined => findVariableFault(ask)?.problem;

/** The same with a JSON Pointer to it in `variables`. */
export function findVariableFault(ask: VariableAsk): { problem: Problem; pointer: string } | undefined {
  const known = new Map(ask.declarations.map((declared) => [declared.name, declared]));
  const hidden = new Set(secretNames(ask));
  for (const [name, value] of Object.entries(ask.values)) {
    const declared = known.get(name);
    const problem = declared
      ? (findValueProblem(declared, value as Json) ??
        (hidden.has(name) ? undefined : findExposure(name, value as Json)))
      : invalid(`The module has no variable "${name}". Leave it out.`);
    if (problem) return { problem, pointer: pointerOf(name) };
  }
  const missing = ask.declarations.find(
    ({ name, hasDefault }) => !hasDefault && !Object.hasOwn(ask.values, name) && !ask.defaults?.includes(name),
  );
  if (!missing) return undefined;
  const message = `The variable "${missing.name}" has no default, so it needs a value.`.slice(0, 256);
  return { problem: { code: 'install_variable_required', message }, pointer: pointerOf(missing.name) };
}

const pointerOf = (name: string): string => `/variables/${escapePointer(name)}`;

function findValueProblem(declared: VariableDeclaration, value: Json): Problem | undefined {
  const misfit = findMisfit(declared, value);
  return misfit && invalid(misfit.message);
}

/** Where and why a value does not fit the declared type. What no type can be read of takes anything. */
export function findMisfit(
  declared: VariableDeclaration,
  value: Json,
): { pointer: string; message: string } | undefined {
  const type = declared.typeText === undefined ? undefined : parseType(declared.typeText);
  const check = type && checkValue(type, value, { nullable: declared.nullable ?? true });
  if (!check || check.ok) return undefined;
  const place = check.pointer && ` at ${check.pointer}`;
  return {
    pointer: check.pointer,
    message: `The variable "${declared.name}"${place} does not fit its type. ${check.message}`,
  };
}

/** Digest of what decides over values: declared names, types, whether there is a default, and who may see them. */
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
    `The variable "${name}" holds something that looks like a credential. Name it in secretVariables, so that it is kept sealed.`,
    'secret_like_value',
  );
}

/** A JSON Pointer to what is too large among the submitted variables; undefined when all fits. */
export function findOversize(values: JsonObject): string | undefined {
  if (Object.keys(values).length > maxVariables) return '/variables';
  if (Buffer.byteLength(JSON.stringify(values)) > limits.variablesBytes) return '/variables';
  const pointer = findOutOfBounds(values, boundedJson);
  return pointer === undefined ? undefined : `/variables${pointer}`;
}
