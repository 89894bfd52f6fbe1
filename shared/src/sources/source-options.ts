import { z } from 'zod';
import { escapePointer, type Json, parseStrictJson } from '../kernel/json.ts';
import { sourceOptionsLimits as most } from '../limits.ts';
import type { ManifestProblemCode } from '../manifest/contract.ts';
import { isRelativePath } from '../relative-path.ts';
import { isSecretLike } from '../secret-like.ts';
import { sourceOptionsVersion } from '../vendor.ts';
import { isGitRef } from './git-address.ts';
import { readGit } from './install-link.ts';

type Code = Extract<
  ManifestProblemCode,
  | 'json_invalid'
  | 'field_unknown'
  | 'field_missing'
  | 'type_invalid'
  | 'value_invalid'
  | 'text_invalid'
  | 'path_invalid'
  | 'count_out_of_range'
  | 'not_unique'
  | 'secret_like_value'
>;
/** One mistake: its location (RFC 6901, unusual keys as `*`) and its kind; never a value of the document. */
export type SourceOptionsProblem = { pointer: string; code: Code };

/** A text with its rule; lengths are in code points. Everything in the document is public. */
const text = (code: Code, isRight: (value: string) => boolean) =>
  z.string().superRefine((value, context) => {
    const wrong = isSecretLike(value) ? 'secret_like_value' : isRight(value) ? undefined : code;
    if (wrong) context.addIssue({ code: 'custom', params: { code: wrong } });
  });
const constant = (value: string) => text('value_invalid', (input) => input === value);
const prose = (max: number) => text('text_invalid', (value) => value !== '' && [...value].length <= max);
const name = text('text_invalid', (value) => /^[a-z0-9][a-z0-9._-]{0,95}$/.test(value));

/** An ordinary Git source: `path` is the subtree that is fetched and scanned. */
const OptionSource = z.strictObject({
  url: text('value_invalid', (value) => readGit(value) !== undefined),
  ref: text('value_invalid', isGitRef).optional(),
  path: text('path_invalid', isRelativePath),
});
const SourceOption = z.strictObject({
  id: name,
  title: prose(most.titleLength),
  description: prose(most.descriptionLength).optional(),
  source: OptionSource,
});
const SourceOptions = z.strictObject({
  apiVersion: constant(sourceOptionsVersion),
  kind: constant('CapsuleSourceOptions'),
  metadata: z.strictObject({
    name,
    title: prose(most.titleLength),
    description: prose(most.descriptionLength).optional(),
  }),
  options: z.array(SourceOption).min(1).max(most.options),
});
/** A document that offers several sources. */
type SourceOptions = z.infer<typeof SourceOptions>;
export type SourceOption = z.infer<typeof SourceOption>;

type ReadSourceOptions =
  | { ok: true; document: SourceOptions }
  | { ok: false; problems: readonly SourceOptionsProblem[] };

/** Parses the text of a source-options document: the whole document, or its problems. Pure. */
export function readSourceOptions(document: string): ReadSourceOptions {
  let value: Json;
  try {
    value = parseStrictJson(document);
  } catch {
    return { ok: false, problems: [{ pointer: '', code: 'json_invalid' }] };
  }
  const parsed = SourceOptions.safeParse(value, { reportInput: true });
  const problems = parsed.success ? repeated(parsed.data) : parsed.error.issues.flatMap(toProblems);
  if (parsed.success && problems.length === 0) return { ok: true, document: parsed.data };
  return { ok: false, problems: problems.slice(0, most.problems) };
}

const repeated = ({ options }: SourceOptions): SourceOptionsProblem[] =>
  options.flatMap(({ id }, index) =>
    options.findIndex((one) => one.id === id) < index ? [{ pointer: `/options/${index}/id`, code: 'not_unique' }] : [],
  );

/** A key may itself be a secret, so only a plain one is repeated. */
const shownKey = (key: PropertyKey): string => {
  const shown = String(key);
  return /^[\w.-]{1,80}$/.test(shown) && !isSecretLike(shown) ? escapePointer(shown) : '*';
};
const pointerOf = (path: readonly PropertyKey[]): string => path.map((key) => `/${shownKey(key)}`).join('');

function toProblems(issue: z.core.$ZodIssue): SourceOptionsProblem[] {
  const pointer = pointerOf(issue.path);
  switch (issue.code) {
    case 'unrecognized_keys':
      return issue.keys.map((key) => ({ pointer: pointerOf([...issue.path, key]), code: 'field_unknown' }));
    case 'too_big':
    case 'too_small':
      return [{ pointer, code: 'count_out_of_range' }];
    case 'custom':
      return [{ pointer, code: issue.params?.['code'] as Code }];
    default:
      return [{ pointer, code: issue.input === undefined ? 'field_missing' : 'type_invalid' }];
  }
}
