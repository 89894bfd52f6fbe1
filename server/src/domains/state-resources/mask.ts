import { collectTexts, type MarkStep, requireDepth } from '#server/drivers/tofu/index';
import { createCopyTest, createRedactor } from '#server/runner/index';
import { ExactNumber } from '#shared/kernel/exact-number';
import { isContainer, type Json } from '#shared/kernel/json';
import { sensitiveMark } from '#shared/vendor';
import type { Digest } from './digest.ts';
import { unwrapDynamic } from './dynamic-value.ts';
import { childOf, type Mask, maskOf } from './marks.ts';

/**
 * Collects the texts and keys of a value that its mask covers; they count everywhere in the state. At any depth, so that
 * the addresses of a state can be shown whose values cannot.
 */
export function collectMarked(value: Json, mask: Mask | undefined, texts: Set<string>): void {
  if (mask === true) collectTexts(value, texts, unwrapDynamic);
  else if (mask !== undefined && isContainer(value))
    for (const [key, child] of Object.entries(value)) collectMarked(child, mask.get(key), texts);
}

export type Masker = {
  /** Returns a value in which each sensitive part is a stored mark. Throws `DepthError`. */
  value(value: Json, mask: Mask | undefined): Json;
  address(text: string): string;
  /** Redacts the key of an instance, as its address does. */
  key(text: string): string;
  /** Redacts a sentence, such as the message of a check. */
  message(text: string): string;
};

type MaskerInput = {
  /** Secret texts of the Run. */
  secrets: readonly string[];
  /** Texts that are marked somewhere in the state. */
  marked: ReadonlySet<string>;
  digest: Digest;
};

const hidden = '[redacted]';

/** Creates the masker of one state. */
export function createMasker({ secrets, marked, digest }: MaskerInput): Masker {
  const { text: redactText, address: redactLong } = createRedactor(secrets);
  const whole = new Set(secrets);
  const isCopy = createCopyTest(marked);
  const isSecret = (text: string): boolean => whole.has(text) || redactLong(text) !== text || isCopy(text);
  const nameOf = (key: string, index: number): string => (isSecret(key) ? `[redacted ${index}]` : redactText(key));

  function redact(value: Json, mask: Mask | undefined, depth: number): Json {
    if (mask === true || isSecretLeaf(value)) return { ...sensitiveMark, digest: digest(value) };
    if (typeof value === 'string') return redactText(value);
    if (!isContainer(value)) return value;
    const inner = requireDepth(depth + 1);
    const dynamic = unwrapDynamic(value);
    if (dynamic) return redact(dynamic.value, mask?.get('value'), inner);
    if (Array.isArray(value)) return value.map((item: Json, index) => redact(item, mask?.get(String(index)), inner));
    const members = Object.entries(value);
    return Object.fromEntries(
      members.map(([key, item], index) => [nameOf(key, index), redact(item, mask?.get(key), inner)]),
    );
  }
  const isSecretLeaf = (value: Json): boolean =>
    (typeof value === 'string' || typeof value === 'number' || value instanceof ExactNumber) && isSecret(String(value));
  // The key of an instance is a part of the address: redacted alone, its address still shows which instances exist.
  const address = (text: string): string =>
    redactLong(text).replaceAll(/\["((?:[^"\\]|\\.)*)"\]/g, (all, key: string) =>
      isCopy(key) ? `["${hidden}"]` : all,
    );
  return {
    value: (value, mask) => (value === null ? null : redact(value, mask, 0)),
    address,
    key: (text) => (isCopy(text) ? hidden : redactLong(text)),
    message: (text) => (isCopy(text) ? hidden : redactText(text)),
  };
}

/** Masks parts of a value that is masked already, because their paths were marked later. */
export function maskAgain(value: Json, marks: readonly (readonly MarkStep[])[], digest: Digest): Json {
  const hide = (item: Json, mask: Mask | undefined): Json => {
    if (mask === undefined) return item;
    if (mask === true) return { ...sensitiveMark, digest: digest(item) };
    if (Array.isArray(item)) return item.map((child: Json, index) => hide(child, mask.get(String(index))));
    if (!isContainer(item)) return item;
    return Object.fromEntries(Object.entries(item).map(([key, child]) => [key, hide(child, mask.get(key))]));
  };
  const known = marks.filter(([first]) => first === undefined || childOf(value, first) !== undefined);
  return hide(value, maskOf(value, known));
}
