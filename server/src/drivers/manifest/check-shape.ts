import { isJsonObject, type Json, type JsonObject } from '#shared/kernel/json';
import { type JsonPath, lengthOf, type Report } from './problems.ts';
import type { Rule, TextRule } from './shape.ts';

type Checks = {
  [K in Rule['is']]: (rule: Extract<Rule, { is: K }>, value: Json, path: JsonPath, report: Report) => void;
};

/** Reports every difference between a value and a shape. */
export function checkShape(rule: Rule, value: Json, path: JsonPath, report: Report): void {
  (checks[rule.is] as (rule: Rule, value: Json, path: JsonPath, report: Report) => void)(rule, value, path, report);
}

const between = (value: number, { min, max }: { min: number; max: number }): boolean => value >= min && value <= max;
const range = ({ min, max }: { min: number; max: number }): string => (min === max ? `${min}` : `${min} to ${max}`);

function fits(rule: TextRule, text: string): boolean {
  // The length in UTF-16 units is known at once, so code points of much longer texts are not counted.
  if (text.length > rule.max * 2 || !between(lengthOf(text), rule)) return false;
  return (rule.pattern?.test(text) ?? true) && (rule.test?.(text) ?? true);
}

const checks: Checks = {
  text(rule, value, path, report) {
    if (typeof value !== 'string') return report(path, 'type_invalid', 'It must be a text.');
    if (!fits(rule, value)) report(path, rule.code ?? 'text_invalid', `It must be ${rule.says}.`);
  },
  boolean(_rule, value, path, report) {
    if (typeof value !== 'boolean') report(path, 'type_invalid', 'It must be true or false.');
  },
  integer(rule, value, path, report) {
    if (!Number.isInteger(value)) return report(path, 'type_invalid', 'It must be a whole number.');
    if (!between(value as number, rule)) report(path, 'number_out_of_range', `It must be ${range(rule)}.`);
  },
  word(rule, value, path, report) {
    if (typeof value !== 'string') return report(path, 'type_invalid', 'It must be a text.');
    if (!rule.values.includes(value)) report(path, 'value_invalid', `It must be ${rule.values.join(' or ')}.`);
  },
  json() {},
  list(rule, value, path, report) {
    if (!Array.isArray(value)) return report(path, 'type_invalid', 'It must be a list.');
    if (!between(value.length, rule)) return report(path, 'count_out_of_range', `It must have ${range(rule)} entries.`);
    const seen = new Set<Json>();
    for (const [at, item] of (value as readonly Json[]).entries()) {
      checkShape(rule.item, item, [...path, at], report);
      if (rule.isUnique && seen.has(item)) report([...path, at], 'not_unique', 'It appears twice in this list.');
      seen.add(item);
    }
  },
  map(rule, value, path, report) {
    if (!isJsonObject(value)) return report(path, 'type_invalid', 'It must be an object.');
    const entries = Object.entries(value);
    if (!between(entries.length, rule))
      return report(path, 'count_out_of_range', `It must have ${range(rule)} entries.`);
    for (const [key, item] of entries) {
      if (!fits(rule.key, key))
        report([...path, key], rule.key.code ?? 'text_invalid', `Its key must be ${rule.key.says}.`);
      checkShape(rule.value, item, [...path, key], report);
    }
  },
  object(rule, value, path, report) {
    if (!isJsonObject(value)) return report(path, 'type_invalid', 'It must be an object.');
    checkFields(rule, value, path, report);
  },
  choice(rule, value, path, report) {
    if (!isJsonObject(value)) return report(path, 'type_invalid', 'It must be an object.');
    const chosen = Object.hasOwn(value, rule.by) ? value[rule.by] : undefined;
    if (chosen === undefined) return report([...path, rule.by], 'field_missing', 'This field is missing.');
    if (typeof chosen !== 'string' || !Object.hasOwn(rule.cases, chosen)) {
      const choices = Object.keys(rule.cases).join(' or ');
      return report([...path, rule.by], 'value_invalid', `It must be ${choices} in this version.`);
    }
    checkFields(rule.cases[chosen] as Extract<Rule, { is: 'object' }>, value, path, report);
  },
};

function checkFields(rule: Extract<Rule, { is: 'object' }>, value: JsonObject, path: JsonPath, report: Report): void {
  for (const name of rule.required)
    if (!Object.hasOwn(value, name)) report([...path, name], 'field_missing', 'This field is missing.');
  const entries = Object.entries(value);
  for (const [name, child] of entries) {
    if (Object.hasOwn(rule.fields, name)) checkShape(rule.fields[name] as Rule, child, [...path, name], report);
    else report([...path, name], 'field_unknown', 'This field is not known here in this version.');
  }
  if (rule.count && !between(entries.length, rule.count))
    report(path, 'count_out_of_range', `It must have ${range(rule.count)} of its fields.`);
}
