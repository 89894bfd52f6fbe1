import { writeJson } from '#shared/kernel/exact-number';
import type { TextId, Values } from '../../i18n/text.ts';
import type { DiffLeaf, DiffNode, Side } from './diff.ts';
import { blockText, formatJson, type ValueTexts, valueText } from './value-text.ts';

export type Say = (id: TextId, values?: Values) => string;

export const isMissing = (side: Side): boolean =>
  side.kind === 'absent' || (side.kind === 'value' && side.value === null);

const markTexts = (say: Say): ValueTexts => ({
  sensitive: say('plan.value.sensitive'),
  unknown: say('plan.value.unknown'),
  unknownSensitive: say('plan.value.unknownSensitive'),
});

/** Formats one side on one line; empty when the side is absent. */
export function sideText(side: Side, say: Say, before?: Side): string {
  if (side.kind === 'absent') return '';
  if (side.kind === 'unknown') return side.sensitive ? say('plan.value.unknownSensitive') : say('plan.value.unknown');
  if (side.kind === 'value') return valueText(side.value, markTexts(say), side.masks);
  if (!side.isComparable) return say('plan.value.notComparable');
  const isSensitiveChange = side.changed && before !== undefined && !isMissing(before);
  return isSensitiveChange ? say('plan.value.sensitiveChanges') : say('plan.value.sensitive');
}

const longText = 90;

/** Returns both sides as multi-line texts when one line does not show them well; otherwise undefined. */
export type LongTexts = { before: string | undefined; after: string | undefined; format: 'text' | 'json' };

export function longTexts(leaf: DiffLeaf, say: Say): LongTexts | undefined {
  const sides = [leaf.before, leaf.after];
  if (!sides.some(isLong)) return undefined;
  const strings = sides.flatMap((side) =>
    side.kind === 'value' && typeof side.value === 'string' ? [side.value] : [],
  );
  const formatted = strings.map(formatJson);
  const isJson = strings.length > 0 && formatted.every((text) => text !== undefined);
  const read = (side: Side) => {
    if (isMissing(side)) return undefined;
    if (side.kind !== 'value') return sideText(side, say, leaf.before);
    if (typeof side.value !== 'string') return blockText(side.value, markTexts(say), side.masks);
    return isJson ? formatJson(side.value) : side.value;
  };
  return { before: read(leaf.before), after: read(leaf.after), format: isJson ? 'json' : 'text' };
}

/** Returns the only side that ends with a newline, a difference that no line shows. */
export function finalNewline({
  before,
  after,
  format,
}: LongTexts): 'final_newline_added' | 'final_newline_removed' | undefined {
  if (!before || !after || format === 'json' || before.endsWith('\n') === after.endsWith('\n')) return undefined;
  return after.endsWith('\n') ? 'final_newline_added' : 'final_newline_removed';
}

function isLong(side: Side): boolean {
  if (side.kind !== 'value') return false;
  if (typeof side.value === 'string')
    return side.value.length > longText || side.value.includes('\n') || formatJson(side.value) !== undefined;
  return writeJson(side.value).length > longText;
}

/** In a create or delete, null attributes carry no information. */
export const isSame = (node: DiffNode): boolean => node.change === 'same' && !node.forces;
