import { ulid } from 'ulid';
import { invalidArgument } from '#server/kernel/errors';
import type { FormIdentity } from '#shared/form-packages/contract';
import { boundedJson, escapePointer, findOutOfBounds, type JsonObject } from '#shared/kernel/json';
import { findSecretLike } from '#shared/secret-like';
import type { FormPackagesPort } from './ports.ts';
import { invalid } from './refusals.ts';
import type { TargetRequest } from './request-types.ts';

const keyShape = /^[A-Za-z0-9][A-Za-z0-9._:/-]{7,127}$/;

/** Returns the key of an operation. Without one, which the compatibility routes allow, each request is its own operation. */
export function keyOf({ key, form }: Pick<TargetRequest, 'key' | 'form'>): string {
  if (key === undefined && form === undefined) return ulid();
  if (key === undefined)
    throw invalid(
      'Send an Idempotency-Key: a fresh text of 8 to 128 characters, and the same one to repeat the request.',
    );
  if (keyShape.test(key)) return key;
  throw invalid(
    'The Idempotency-Key must have 8 to 128 letters, digits and . _ : / - and start with a letter or digit.',
  );
}

/** Requires that a desired state satisfies its form and holds nothing like a credential. Throws 400 without a value. */
export async function requireValid(
  packages: Pick<FormPackagesPort, 'validateSpec'>,
  form: FormIdentity,
  spec: JsonObject,
): Promise<void> {
  const outside = findOutOfBounds(spec, boundedJson);
  if (outside !== undefined) throw invalid('The spec is nested too deeply or too large.', '/spec');
  const secret = findSecretLike(spec);
  if (secret)
    throw invalidArgument(
      'secret_like_value',
      'A value of the spec looks like a credential. Resources are readable in the whole space: remove it.',
      { field: `/spec${secret.map((key) => `/${escapePointer(key)}`).join('')}` },
    );
  const result = await packages.validateSpec(form, spec);
  if (!result.valid)
    throw invalid(`The spec does not satisfy the schema of its form. ${result.message}`, `/spec${result.pointer}`);
}
