import { ExactNumber } from '#shared/kernel/exact-number';
import type { Json } from '#shared/kernel/json';
import type { OutputType } from '#shared/state-versions/contract';

/** Returns the type of a value as far as it can be inferred; null implies no type. */
export function typeOf(value: Json): OutputType | undefined {
  if (value === null) return undefined;
  if (value instanceof ExactNumber) return 'number';
  return typeof value === 'object' ? 'json' : (typeof value as 'string' | 'number' | 'boolean');
}

const hostname = /^(?=.{1,253}$)[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)*$/i;

/** Reports whether a value may be used where this type is required; `json` accepts any value. */
export function isOfType(value: Json, type: OutputType): boolean {
  if (type === 'json') return true;
  if (type === 'url') return typeof value === 'string' && URL.canParse(value);
  if (type === 'hostname') return typeof value === 'string' && hostname.test(value);
  return typeOf(value) === type;
}
