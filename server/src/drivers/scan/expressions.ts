import { isJsonObject, type Json } from '#shared/kernel/json';
import { unescapeTemplate } from '#shared/variables/token-cursor';
import { endOfNested, tokenize } from '#shared/variables/tokens';

/** Returns the text of a literal string, or undefined for anything that has to be evaluated. */
export const literalText = (value: Json | undefined): string | undefined =>
  typeof value === 'string' ? unescapeTemplate(value) : undefined;

/** Returns a literal boolean, also from its text form, or undefined. */
export function literalBoolean(value: Json | undefined): boolean | undefined {
  if (typeof value === 'boolean') return value;
  return value === 'true' ? true : value === 'false' ? false : undefined;
}

/** Returns the value when it is entirely literal, with template escapes undone; undefined otherwise. */
export function literalValue(value: Json | undefined): Json | undefined {
  if (typeof value === 'string') return unescapeTemplate(value);
  if (Array.isArray(value)) return literalList(value as readonly Json[]);
  if (!isJsonObject(value)) return value;
  const members: [string, Json][] = [];
  for (const [key, member] of Object.entries(value)) {
    const name = unescapeTemplate(key);
    const inner = literalValue(member);
    if (name === undefined || name === '__proto__' || inner === undefined) return undefined;
    members.push([name, inner]);
  }
  return Object.fromEntries(members);
}

function literalList(items: readonly Json[]): Json | undefined {
  const values: Json[] = [];
  for (const item of items) {
    const value = literalValue(item);
    if (value === undefined) return undefined;
    values.push(value);
  }
  return values;
}

/** Escapes a value of plain texts so that it reads the same as templates. */
export function escapeTemplates(value: Json): Json {
  if (typeof value === 'string') return value.replace(/[$%](?=\{)/g, '$&$&');
  if (Array.isArray(value)) return (value as readonly Json[]).map(escapeTemplates);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [escapeKey(key), escapeTemplates(member)]));
}

const escapeKey = (key: string): string => key.replace(/[$%](?=\{)/g, '$&$&');

/**
 * Returns the code of an expression: `${…}` of native syntax, or the plain text that JSON syntax uses for references.
 */
const codeOf = (value: Json | undefined): string | undefined =>
  typeof value === 'string' ? (/^\$\{([\s\S]*)\}$/.exec(value)?.[1] ?? value).trim() : undefined;

export type ProviderReference = { localName: string; alias?: string };

/** Reads `aws`, `aws.west` or `aws.by_region[each.key]`. */
export function providerReference(value: Json | undefined): ProviderReference | undefined {
  const [, localName, alias] =
    /^([\p{L}_][\p{L}\p{N}_-]*)(?:\s*\.\s*([\p{L}_][\p{L}\p{N}_-]*))?/u.exec(codeOf(value) ?? '') ?? [];
  return localName === undefined ? undefined : { localName, ...(alias === undefined ? {} : { alias }) };
}

const moduleStep = /^module\s*\.\s*[\p{L}\p{N}_-]+(?:\[(?:"(?:[^"\\]|\\.)*"|[^\]"])*\])?\s*\.\s*/u;

/** Returns the resource type of an address such as `module.a["x"].aws_instance.web[0]`. */
export function resourceTypeOf(address: Json | undefined): string | undefined {
  let rest = codeOf(address) ?? '';
  while (moduleStep.test(rest)) rest = rest.replace(moduleStep, '');
  return /^([\p{L}_][\p{L}\p{N}_-]*)\s*\./u.exec(rest)?.[1];
}

/** Returns local names of the providers whose functions a value calls: `provider::<name>::<function>(…)`. */
export function providerFunctionsIn(value: Json | undefined, names: Set<string> = new Set()): Set<string> {
  if (typeof value === 'string') functionsInTemplate(value, names);
  else if (Array.isArray(value)) for (const item of value as readonly Json[]) providerFunctionsIn(item, names);
  else if (isJsonObject(value)) {
    for (const [key, member] of Object.entries(value)) {
      functionsInTemplate(key, names);
      providerFunctionsIn(member, names);
    }
  }
  return names;
}

function functionsInTemplate(template: string, names: Set<string>): void {
  if (!template.includes('provider')) return;
  for (const code of interpolationsOf(template)) functionsInCode(code, names);
}

/** Yields the code of each `${…}` and `%{…}` of a template. */
function* interpolationsOf(template: string): Generator<string, void, void> {
  const sign = /\$(?:\$\{|\{)|%(?:%\{|\{)/g;
  for (let match = sign.exec(template); match; match = sign.exec(template)) {
    if (match[0].length === 3) continue;
    const end = endOfNested(template, sign.lastIndex, '{');
    yield template.slice(sign.lastIndex, end - 1);
    sign.lastIndex = end;
  }
}

function functionsInCode(code: string, names: Set<string>): void {
  let plain = '';
  for (const { kind, text } of tokenize(code)) {
    if (kind === 'quoted') functionsInTemplate(text.slice(1, -1), names);
    plain += kind === 'quoted' ? '""' : kind === 'comment' || kind === 'space' ? ' ' : text;
  }
  for (const [, name] of plain.matchAll(/(?<![\w.-])provider ?:: ?([\p{L}_][\p{L}\p{N}_-]*) ?::/gu)) {
    names.add(name as string);
  }
}
