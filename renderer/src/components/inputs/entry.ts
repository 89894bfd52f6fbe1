import type { VariablePresentation } from '#shared/install-configs/presentation';
import { writeJson } from '#shared/kernel/exact-number';
import type { Json } from '#shared/kernel/json';
import type { VariableDeclaration } from '#shared/sources/module-scan';
import { parseType, type VariableType } from '#shared/variables/type-expression';
import type { OutputChoice } from '../outputs/output-choice.ts';
import { blankDraft, type Draft, draftOf, hasFields, prettyJson, roughValue } from './draft.ts';
import { holdsCredential, type Problem, readDraft } from './read-draft.ts';
import { describeShape } from './shape.ts';

/** State of one variable in the form. Without a draft it is untouched and is not sent. */
export type Entry = {
  readonly draft?: Draft | undefined;
  /** Output of another Capsule that fills the variable; a draft is then not sent. */
  readonly output?: OutputChoice | undefined;
  /** True while the Output is chosen. */
  readonly isChoosing?: boolean;
  /** True when a Dependency of the Capsule fills the variable already. */
  readonly isStored?: boolean;
  /** True when the value is sealed although the module does not mark it as sensitive. */
  readonly isSecret?: boolean;
  /** A text of several lines. */
  readonly isLong?: boolean;
  readonly view?: View;
  /** True after the control lost the focus once, so that its problem is shown. */
  readonly wasLeft?: boolean;
  /** True when the value that is stored now is removed, so that the input falls back to its default. */
  readonly isRemoved?: boolean;
};
export type Entries = Readonly<Record<string, Entry>>;
export type View = 'fields' | 'text' | 'json';

/** A variable of the module, prepared for display: `type` is any when its expression cannot be parsed. */
export type Input = {
  readonly declared: VariableDeclaration;
  readonly type: VariableType;
  readonly shape: string;
  readonly isRequired: boolean;
  /** Presentation of the input in the manifest of the repository. */
  readonly presentation?: VariablePresentation;
  /** True when a sealed value of an earlier attempt is kept if nothing is typed. */
  readonly isSealed: boolean;
  /** False for a stored configuration: only an installation can seal what the module does not declare sensitive. */
  readonly canBeSealed: boolean;
};

export const inputOf = (
  of: VariableDeclaration,
  sealedNames?: readonly string[],
  presentation?: VariablePresentation,
): Input => {
  const declared = presentation?.secret ? { ...of, sensitive: true } : of;
  const type = (declared.typeText === undefined ? undefined : parseType(declared.typeText)) ?? { kind: 'any' };
  return {
    declared,
    type,
    shape: type.kind === 'any' ? (declared.typeText ?? 'any') : describeShape(type),
    isRequired: presentation ? presentation.required === true : !declared.hasDefault,
    ...(presentation && { presentation }),
    isSealed: sealedNames?.includes(declared.name) ?? false,
    canBeSealed: sealedNames === undefined,
  };
};

export const isSecret = ({ declared, isSealed }: Input, entry: Entry): boolean =>
  declared.sensitive === true || entry.isSecret === true || isSealed;

/** Views of an input; the first is the default. */
export function viewsOf({ type, declared }: Input): readonly View[] {
  if (hasFields(type)) return ['fields', 'json'];
  if (type.kind !== 'any') return ['fields'];
  const isTextLike =
    declared.default === undefined || declared.default === null || typeof declared.default === 'string';
  return isTextLike ? ['text', 'json'] : ['json', 'text'];
}
export const viewOf = (input: Input, entry: Entry): View => entry.view ?? viewsOf(input)[0] ?? 'fields';

/** Returns the initial draft: the default of the module, or an empty one. */
export function startDraft(input: Input, view: View): Draft {
  const value = input.declared.default;
  if (view === 'json') return { kind: 'json', text: value === undefined || value === null ? '' : prettyJson(value) };
  if (view === 'text') return { kind: 'text', text: typeof value === 'string' ? value : '' };
  return (value === undefined || value === null ? undefined : draftOf(input.type, value)) ?? blankDraft(input.type);
}

/** Converts the entry to another view with its value; undefined when the view cannot hold the value. */
export function inView(input: Input, entry: Entry, view: View): Entry | undefined {
  if (!entry.draft || entry.draft.kind === 'null') return { ...entry, view };
  const rough = roughValue(input.type, entry.draft);
  if (view === 'json') return { ...entry, view, draft: { kind: 'json', text: prettyJson(rough) } };
  if (entry.draft.kind === 'json' && entry.draft.text.trim() === '') return { ...entry, view, draft: undefined };
  if (view === 'text') return { ...entry, view, draft: { kind: 'text', text: textOf(rough) } };
  const read = readDraft(input.type, entry.draft, { nullable: true });
  const draft = read.ok ? draftOf(input.type, read.value) : undefined;
  return draft && { ...entry, view, draft };
}

const textOf = (value: Json): string => (typeof value === 'string' ? value : writeJson(value));

/** Returns the entry for a value, as if it had been typed. */
export function entryOf(input: Input, value: Json): Entry {
  const draft = value === null ? undefined : draftOf(input.type, value);
  if (draft && hasFields(input.type)) return { draft };
  if (typeof value === 'string')
    return { draft: { kind: 'text', text: value }, view: 'text', isLong: value.includes('\n') };
  return draft ? { draft } : { draft: { kind: 'json', text: prettyJson(value) }, view: 'json' };
}

type Outcome =
  | { kind: 'untouched' }
  | { kind: 'output'; output: OutputChoice }
  | { kind: 'value'; value: Json }
  | { kind: 'problem'; problem: Problem };

/** Returns the value to send for an input, or the reason why it cannot be sent. */
export function outcomeOf(input: Input, entry: Entry): Outcome {
  if (entry.isChoosing) return { kind: 'problem', problem: { pointer: '', text: 'input.output.unfinished' } };
  if (entry.output) return { kind: 'output', output: entry.output };
  if (!entry.draft)
    return input.isRequired && !(input.isSealed && !entry.isRemoved)
      ? { kind: 'problem', problem: { pointer: '', text: 'input.required' } }
      : { kind: 'untouched' };
  const read = readDraft(input.type, entry.draft, { nullable: input.declared.nullable ?? true });
  if (!read.ok) return { kind: 'problem', problem: read.problem };
  if (!isSecret(input, entry) && holdsCredential(read.value))
    return {
      kind: 'problem',
      problem: { pointer: '', text: input.canBeSealed ? 'input.looksSecret' : 'input.notSealed' },
    };
  return { kind: 'value', value: read.value };
}
