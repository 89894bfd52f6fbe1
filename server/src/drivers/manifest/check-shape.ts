import { isJsonObject, type Json, type JsonObject } from '#shared/kernel/json';
import { lengthOf, type Place, type Tell } from './problems.ts';
import type { Rule, TextRule } from './shape.ts';

type Checks = { [K in Rule['is']]: (rule: Extract<Rule, { is: K }>, value: Json, place: Place, tell: Tell) => void };

/** Tells everything in which a value differs from a shape. */
export function checkShape(rule: Rule, value: Json, place: Place, tell: Tell): void {
  (checks[rule.is] as (rule: Rule, value: Json, place: Place, tell: Tell) => void)(rule, value, place, tell);
}

const between = (value: number, { min, max }: { min: number; max: number }): boolean => value >= min && value <= max;
const range = ({ min, max }: { min: number; max: number }): string => (min === max ? `${min}` : `${min} to ${max}`);

function fits(rule: TextRule, text: string): boolean {
  // The length in UTF-16 units is known at once: nothing much longer is worth counting.
  if (text.length > rule.max * 2 || !between(lengthOf(text), rule)) return false;
  return (rule.pattern?.test(text) ?? true) && (rule.test?.(text) ?? true);
}

const checks: Checks = {
  text(rule, value, place, tell) {
    if (typeof value !== 'string') return tell(place, 'type_invalid', 'It must be a text.');
    if (!fits(rule, value)) tell(place, rule.code ?? 'text_invalid', `It must be ${rule.says}.`);
  },
  boolean(_rule, value, place, tell) {
    if (typeof value !== 'boolean') tell(place, 'type_invalid', 'It must be true or false.');
  },
  integer(rule, value, place, tell) {
    if (!Number.isInteger(value)) return tell(place, 'type_invalid', 'It must be a whole number.');
    if (!between(value as number, rule)) tell(place, 'number_out_of_range', `It must be ${range(rule)}.`);
  },
  word(rule, value, place, tell) {
    if (typeof value !== 'string') return tell(place, 'type_invalid', 'It must be a text.');
    if (!rule.words.includes(value)) tell(place, 'value_invalid', `It must be ${rule.words.join(' or ')}.`);
  },
  json() {},
  list(rule, value, place, tell) {
    if (!Array.isArray(value)) return tell(place, 'type_invalid', 'It must be a list.');
    if (!between(value.length, rule)) return tell(place, 'count_out_of_range', `It must have ${range(rule)} entries.`);
    const seen = new Set<Json>();
    for (const [at, item] of (value as readonly Json[]).entries()) {
      checkShape(rule.item, item, [...place, at], tell);
      if (rule.isUnique && seen.has(item)) tell([...place, at], 'not_unique', 'It stands twice in this list.');
      seen.add(item);
    }
  },
  map(rule, value, place, tell) {
    if (!isJsonObject(value)) return tell(place, 'type_invalid', 'It must be an object.');
    const entries = Object.entries(value);
    if (!between(entries.length, rule))
      return tell(place, 'count_out_of_range', `It must have ${range(rule)} entries.`);
    for (const [key, item] of entries) {
      if (!fits(rule.key, key))
        tell([...place, key], rule.key.code ?? 'text_invalid', `Its key must be ${rule.key.says}.`);
      checkShape(rule.value, item, [...place, key], tell);
    }
  },
  object(rule, value, place, tell) {
    if (!isJsonObject(value)) return tell(place, 'type_invalid', 'It must be an object.');
    checkFields(rule, value, place, tell);
  },
  choice(rule, value, place, tell) {
    if (!isJsonObject(value)) return tell(place, 'type_invalid', 'It must be an object.');
    const chosen = Object.hasOwn(value, rule.by) ? value[rule.by] : undefined;
    if (chosen === undefined) return tell([...place, rule.by], 'field_missing', 'This field is missing.');
    if (typeof chosen !== 'string' || !Object.hasOwn(rule.cases, chosen)) {
      const words = Object.keys(rule.cases).join(' or ');
      return tell([...place, rule.by], 'value_invalid', `It must be ${words} in this version.`);
    }
    checkFields(rule.cases[chosen] as Extract<Rule, { is: 'object' }>, value, place, tell);
  },
};

function checkFields(rule: Extract<Rule, { is: 'object' }>, value: JsonObject, place: Place, tell: Tell): void {
  for (const name of rule.required)
    if (!Object.hasOwn(value, name)) tell([...place, name], 'field_missing', 'This field is missing.');
  const entries = Object.entries(value);
  for (const [name, child] of entries) {
    if (Object.hasOwn(rule.fields, name)) checkShape(rule.fields[name] as Rule, child, [...place, name], tell);
    else tell([...place, name], 'field_unknown', 'This field is not known here in this version.');
  }
  if (rule.count && !between(entries.length, rule.count))
    tell(place, 'count_out_of_range', `It must have ${range(rule.count)} of its fields.`);
}
