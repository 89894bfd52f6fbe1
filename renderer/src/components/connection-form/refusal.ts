import { ApiError } from '../../api/client.ts';
import { findText } from '../../i18n/text.ts';
import { type Choice, type Draft, type FieldProblem, keyOf, type Sent } from './draft.ts';

/** Maps a refusal of the server to the form field that it names; undefined when it names no field of the form. */
export function refusedField(
  error: unknown,
  { draft, choice, sent }: { draft: Draft; choice: Choice; sent: Sent | undefined },
): { key: string; problem: FieldProblem } | undefined {
  if (!(error instanceof ApiError)) return undefined;
  const { field, reason, missing } = error.details;
  const key = typeof field === 'string' ? keyAt(field, { draft, choice, sent }) : undefined;
  if (key === undefined) return undefined;
  if (reason === 'env_group_incomplete' && Array.isArray(missing))
    return { key, problem: { text: 'form.group', values: { names: missing.join(', ') } } };
  const text = findText(`refusal.${String(reason ?? error.code)}`);
  return text && { key, problem: { text } };
}

type FieldContext = { draft: Draft; choice: Choice; sent: Sent | undefined };

/** The field of the form behind a JSON Pointer into its request (RFC 6901). */
function keyAt(pointer: string, context: FieldContext): string | undefined {
  const [head, ...rest] = pointer
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
  if (head === 'provider') return 'provider';
  if (head === 'displayName') return 'name';
  if (head === 'expiresAt') return 'endsOn';
  if (head === 'values' && rest[0] !== undefined) return valueKey(rest[0], context);
  if (head === 'files') return fileKey(rest, context);
  if (head === 'scopeHints' && rest[0] === 'providerSettings' && rest[1] !== undefined)
    return valueKey(rest[1], context);
  if (head === 'scopeHints' && rest[0] === 'providerConfig') return settingKey(rest[1], context);
  return undefined;
}

function valueKey(name: string, { draft, choice }: FieldContext): string | undefined {
  const field = choice.way.fields.find((one) => one.name === name || one.envNames.includes(name));
  if (field) return field.kind === 'file' ? keyOf.file(field.name) : keyOf.value(field.name);
  const row = draft.variables.find((one) => one.name.trim() === name);
  return row && keyOf.row('variables', row.id, 'name');
}

function fileKey([at, part]: readonly string[], { sent }: FieldContext): string | undefined {
  const key = sent?.fileKeys[Number(at)];
  return part === 'envName' && key?.startsWith('fileRows:') ? key.replace(/value$/, 'name') : key;
}

function settingKey(name: string | undefined, { draft }: FieldContext): string | undefined {
  const row = draft.settings.find((one) => one.name.trim() === name);
  return row && keyOf.row('settings', row.id, 'value');
}
