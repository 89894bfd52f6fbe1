import { ExactNumber } from '#shared/kernel/exact-number';
import { isContainer, type Json } from '#shared/kernel/json';

/** Shorter texts, such as a port or a flag, also occur where they are not secret. */
const minSpreadLength = 4;
/** Numbers are short and occur by chance more often than texts. */
const minSpreadDigits = 8;
/** A key that is one or more plain words is a name, and names are not secret: `user`, `client-id`. */
const plainName = /^[A-Za-z]+(?:[_-][A-Za-z]+)*$/;

type Unwrap = (value: Json) => { value: Json } | undefined;

/**
 * Collects texts, long numbers and keys of a sensitive value, and returns how many containers it nests. The tool loses
 * marks where a provider copies a value (the `output` of a `terraform_data` keeps the password of the last apply
 * unmarked), so what is marked once is secret in the whole plan or state. `unwrap` returns the value in the form that a
 * state gives to values of dynamic type.
 */
export function collectTexts(value: Json, texts: Set<string>, unwrap?: Unwrap): number {
  // Level by level in place of recursion: a value may nest more containers than the stack has room for.
  let level: Json[] = [value];
  for (let depth = 0; ; depth += 1) {
    const next: Json[] = [];
    for (const item of level) {
      const dynamic = unwrap?.(item);
      if (dynamic) next.push(dynamic.value);
      else collect(item, texts, next);
    }
    if (next.length === 0) return depth;
    level = next;
  }
}

/** Collects from one item, and adds its members to `next`. */
function collect(item: Json, texts: Set<string>, next: Json[]): void {
  if (!isContainer(item)) {
    if (isTelling(item)) texts.add(String(item));
    return;
  }
  for (const [key, child] of Object.entries(item)) {
    if (!Array.isArray(item) && isTellingKey(key)) texts.add(key);
    next.push(child as Json);
  }
}

const isTellingKey = (key: string): boolean => key.length >= minSpreadLength && !plainName.test(key);

function isTelling(leaf: Json): boolean {
  if (typeof leaf === 'string') return leaf.length >= minSpreadLength;
  return (typeof leaf === 'number' || leaf instanceof ExactNumber) && String(leaf).length >= minSpreadDigits;
}
