import { redactedMark } from '#server/runner/index';
import { ExactNumber } from '#shared/kernel/exact-number';
import { isContainer, isJsonObject, type Json, type JsonObject } from '#shared/kernel/json';
import { isSensitiveMark } from '#shared/plans/marks';
import { sensitiveMark, unknownMark } from '#shared/vendor';
import { digestIn } from './sensitive-digests.ts';

type Verdict = 'same' | 'changed' | 'uncertain';
/** Both values with marks that state how they differ, and the verdict on the whole. */
export type ComparedValues = { before: Json; after: Json; verdict: Verdict };

/** `changed` outweighs `uncertain`, and that outweighs `same`. */
export function joinVerdicts(verdicts: Iterable<Verdict>): Verdict {
  const all = new Set(verdicts);
  if (all.has('changed')) return 'changed';
  return all.has('uncertain') ? 'uncertain' : 'same';
}

/** Compares two values of plans. Sensitive ones are compared by their digests, which the result does not contain. */
export function compareValues(before: Json | undefined, after: Json | undefined): ComparedValues {
  if (isSensitiveMark(before) || isSensitiveMark(after)) return compareMarks(before, after);
  if (Array.isArray(before) && Array.isArray(after)) return compareLists(before, after);
  if (isJsonObject(before) && isJsonObject(after)) return compareObjects(before, after);
  const values = { before: plain(before), after: plain(after) };
  if (!isEqualLeaf(before, after)) return { ...values, verdict: 'changed' };
  // What was redacted inside of a text may differ.
  return { ...values, verdict: typeof after === 'string' && after.includes(redactedMark) ? 'uncertain' : 'same' };
}

function compareMarks(before: Json | undefined, after: Json | undefined): ComparedValues {
  if (!isSensitiveMark(before) || !isSensitiveMark(after)) {
    const changed = isSensitiveMark(after) ? { ...sensitiveMark, changed: true } : plain(after);
    return { before: plain(before), after: changed, verdict: 'changed' };
  }
  const [one, other] = [digestIn(before), digestIn(after)];
  if (one === undefined || other === undefined)
    return { before: sensitiveMark, after: { ...sensitiveMark, comparable: false }, verdict: 'uncertain' };
  return one === other
    ? { before: sensitiveMark, after: sensitiveMark, verdict: 'same' }
    : { before: sensitiveMark, after: { ...sensitiveMark, changed: true }, verdict: 'changed' };
}

function compareLists(before: readonly Json[], after: readonly Json[]): ComparedValues {
  const length = Math.max(before.length, after.length);
  const items = Array.from({ length }, (_, index) => compareValues(before[index], after[index]));
  const verdict = before.length === after.length ? joinVerdicts(items.map((item) => item.verdict)) : 'changed';
  return {
    before: items.slice(0, before.length).map((item) => item.before),
    after: items.slice(0, after.length).map((item) => item.after),
    verdict,
  };
}

function compareObjects(before: JsonObject, after: JsonObject): ComparedValues {
  const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  const members = keys.map((key) => [key, compareValues(at(before, key), at(after, key))] as const);
  const side = (name: 'before' | 'after', has: JsonObject): JsonObject =>
    Object.fromEntries(members.filter(([key]) => Object.hasOwn(has, key)).map(([key, member]) => [key, member[name]]));
  return {
    before: side('before', before),
    after: side('after', after),
    verdict: joinVerdicts(members.map(([, member]) => member.verdict)),
  };
}

const at = (value: JsonObject, key: string): Json | undefined => (Object.hasOwn(value, key) ? value[key] : undefined);

/** An attribute that is not set and one that is null are the same to the tool. */
function isEqualLeaf(before: Json | undefined, after: Json | undefined): boolean {
  const [one, other] = [before ?? null, after ?? null];
  if (one instanceof ExactNumber || other instanceof ExactNumber) return String(one) === String(other);
  return !isContainer(one) && !isContainer(other) && one === other;
}

/** Returns a value without the digests of its marks. */
export function plain(value: Json | undefined): Json {
  if (value === undefined) return null;
  if (isSensitiveMark(value)) return sensitiveMark;
  if (!isContainer(value)) return value;
  if (Array.isArray(value)) return value.map((item: Json) => plain(item));
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, plain(item as Json)]));
}

/** Returns a planned value in which marks stand for the parts that are known after the apply. */
export function withUnknown(value: Json | undefined, unknown: Json | undefined): Json {
  if (unknown === true) return unknownMark;
  if (Array.isArray(unknown)) {
    const items = Array.isArray(value) ? (value as readonly Json[]) : [];
    const length = Math.max(items.length, unknown.length);
    return Array.from({ length }, (_, index) => withUnknown(items[index], unknown[index]));
  }
  if (!isJsonObject(unknown) || Object.keys(unknown).length === 0) return value ?? null;
  const members = isJsonObject(value) ? value : {};
  const keys = [...new Set([...Object.keys(members), ...Object.keys(unknown).filter((key) => hasTrue(unknown[key]))])];
  if (!isJsonObject(value) && keys.length === 0) return value ?? null;
  return Object.fromEntries(keys.map((key) => [key, withUnknown(at(members, key), at(unknown, key))]));
}

const hasTrue = (mask: Json | undefined): boolean =>
  mask === true || (isContainer(mask) && Object.values(mask).some((child) => hasTrue(child as Json)));
