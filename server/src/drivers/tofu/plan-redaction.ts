import { isDeepStrictEqual } from 'node:util';
import { ExactNumber } from '#shared/kernel/exact-number';
import { isContainer, type Json, type JsonObject } from '#shared/kernel/json';
import { digestMember } from '#shared/plans/marks';
import { sensitiveMark } from '#shared/vendor';
import { collectTexts } from './marked-texts.ts';
import { requireDepth } from './value-depth.ts';

/** Reports whether a text is, or contains, secret material. */
export type SecretTest = (text: string) => boolean;

/**
 * Minimum length of an embedded secret. Shorter texts occur by chance inside others: they count only as the whole
 * value.
 */
const minEmbeddedLength = 8;

/** Creates a test for the secret texts of one Run. */
export function createSecretTest(secrets: Iterable<string>): SecretTest {
  const whole = new Set([...secrets].filter((secret) => secret !== ''));
  const embedded = [...whole].filter((secret) => secret.length >= minEmbeddedLength);
  return (text) => whole.has(text) || embedded.some((secret) => text.includes(secret));
}

/** Collects the texts that a plan marks as sensitive somewhere. Throws `DepthError`. */
export function collectMarked(sides: readonly Side[]): Set<string> {
  const texts = new Set<string>();
  const visit = (value: Json | undefined, mask: Json | undefined, depth: number): void => {
    if (value === undefined || mask === undefined) return;
    if (mask === true) requireDepth(depth + collectTexts(value, texts));
    else if (isContainer(value) && isContainer(mask))
      for (const key of Array.isArray(value) ? value.keys() : Object.keys(value))
        visit(child(value, key), child(mask, key), requireDepth(depth + 1));
  };
  for (const side of sides) visit(side.value, side.mask, 0);
  return texts;
}

export type Side = {
  value: Json | undefined;
  /** The tool's mask: `true`, or containers that lead to `true`. */
  mask: Json | undefined;
};
/** Part of a side. */
type Part = { value: Json; mask: Json | undefined; depth: number };

/**
 * Returns both sides of a change with every sensitive or secret value replaced by the mark. In `after` the mark states
 * whether the value differs from the one before, which is compared before anything is replaced. Throws `DepthError`.
 */
export function redactChange(before: Side, after: Side, rules: Redaction): { before: Json; after: Json } {
  return {
    before: redactTop(before, undefined, rules),
    after: redactTop(after, { other: before.value }, rules),
  };
}

/** Returns a mask of the tool (`false` when it has none), whose keys are those of its value. */
export const redactKeys = (mask: Json | undefined, isSecret: SecretTest): Json =>
  redact({ value: mask ?? false, mask: undefined, depth: 0 }, undefined, { isSecret });

/** Rules by which values are replaced. */
export type Redaction = {
  isSecret: SecretTest;
  /** Returns a keyed digest of a replaced value, which its mark gets, so that two plans can be compared. */
  digestOf?: ((value: Json) => string) | undefined;
};

/** Value on the other side; absent for the side before. */
type Compared = { other: Json | undefined } | undefined;

/** Redacts a side. An absent value (before a create, after a delete) is not secret, regardless of the mask. */
const redactTop = (side: Side, compared: Compared, rules: Redaction): Json =>
  side.value === null || side.value === undefined
    ? null
    : redact({ value: side.value, mask: side.mask, depth: 0 }, compared, rules);

function redact({ value, mask, depth }: Part, compared: Compared, rules: Redaction): Json {
  const { isSecret } = rules;
  if (mask === true || isSecretLeaf(value, isSecret)) return mark(value, compared, rules);
  if (!isContainer(value)) return value;
  const inner = requireDepth(depth + 1);
  const member = (item: Json, key: string | number): Json =>
    redact({ value: item, mask: child(mask, key), depth: inner }, step(compared, key), rules);
  if (Array.isArray(value)) return value.map(member);
  const entries = Object.entries(value).map(([key, item], index) => [
    isSecret(key) ? `[redacted ${index}]` : key,
    member(item, key),
  ]);
  return Object.fromEntries(entries);
}

function mark(value: Json, compared: Compared, { digestOf }: Redaction): Json {
  const isChanged = compared !== undefined && !isDeepStrictEqual(value, compared.other);
  return {
    ...sensitiveMark,
    ...(isChanged && { changed: true }),
    ...(digestOf && { [digestMember]: digestOf(value) }),
  };
}

const isSecretLeaf = (value: Json, isSecret: SecretTest): boolean =>
  (typeof value === 'string' || typeof value === 'number' || value instanceof ExactNumber) && isSecret(String(value));

const step = (compared: Compared, key: string | number): Compared => compared && { other: child(compared.other, key) };

function child(container: Json | undefined, key: string | number): Json | undefined {
  if (!isContainer(container)) return undefined;
  if (Array.isArray(container)) return typeof key === 'number' ? container[key] : undefined;
  return Object.hasOwn(container, key) ? (container as JsonObject)[key] : undefined;
}
