import { createProblems, type JsonPath, reportPublicJson } from '#server/drivers/manifest/index';
import { invalidArgument } from '#server/kernel/errors';
import type { InterfaceBinding, InterfaceSpec } from '#shared/interfaces/contract';
import type { Json } from '#shared/kernel/json';
import { isSecretLike } from '#shared/secret-like';

/**
 * Requires that document, schema, literals and labels of an Interface may be read by the whole Workspace. Throws 400
 * `secret_like_value`.
 */
export function requirePublicSpec(spec: InterfaceSpec): void {
  const problems = createProblems();
  const check = (value: unknown, path: JsonPath) => reportPublicJson(value as Json, path, problems.report);
  check(spec.document, ['spec', 'document']);
  if (spec.documentSchema !== undefined) check(spec.documentSchema, ['spec', 'documentSchema']);
  for (const [name, input] of Object.entries(spec.inputs ?? {}))
    if (input.source === 'literal') check(input.value, ['spec', 'inputs', name, 'value']);
  const [first] = problems.list();
  if (first) throw secretLike(first.pointer);
}

export function requirePublicTexts(texts: readonly string[], field: string): void {
  if (texts.some(isSecretLike)) throw secretLike(field);
}

const secretLike = (field: string) =>
  invalidArgument(
    'secret_like_value',
    'A value or key looks like a credential or names a record of this server. Everyone in the Workspace reads Interfaces: remove it.',
    { field },
  );

/** A reference to a credential is not one. Throws 400 `secret_like_value`. */
export function requirePublicDelivery({
  credentialRef = '',
  options = {},
}: InterfaceBinding['spec']['delivery']): void {
  if (isSecretLike(credentialRef)) throw secretLike('/delivery/credentialRef');
  const problems = createProblems();
  reportPublicJson(options, ['delivery', 'options'], problems.report);
  if (problems.list().some(({ code }) => code === 'secret_like_value')) throw secretLike('/delivery/options');
}
