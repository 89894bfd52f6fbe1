import { changeKinds, isForgetting, signOf } from '#shared/plans/change';
import type { PlanDocument, PlanOutput } from '#shared/plans/document';
import { visibleText } from '../../ui/visible-text.ts';
import { type DiffLine, differingRange } from '../code/diff-line.ts';
import { countKinds, isCreatedFirst, kindLabelOf, kindStyles, type PlanItem } from './change.ts';
import { type DiffNode, diffOutput, diffResource } from './diff.ts';
import { reasonText } from './reasons.ts';
import { pathText } from './search.ts';
import { finalNewline, isMissing, isSame, longTexts, type Say, sideText } from './side-text.ts';
import { diffLines } from './text-diff.ts';
import { sortItems } from './tree.ts';

const maxValueLength = 160;
const maxAttributes = 40;
const maxTextLines = 12;

/**
 * Formats the plan as Markdown for a review: every change with its reason, and the attributes of what is updated or
 * replaced. Creates and destroys are listed by address only. The result is safe to paste: names and values are in one
 * fence that nothing in them can close, and it contains no sensitive value.
 */
export function planAsText(plan: PlanDocument, items: readonly PlanItem[], say: Say): string {
  const planned = items.filter((item) => item.section !== 'drift');
  const drift = items.filter((item) => item.section === 'drift');
  const lines = [
    ...sortItems(planned.filter((item) => item.section === 'destroyed')).flatMap((item) => itemLines(item, say)),
    ...sortItems(planned.filter((item) => item.section === 'rest')).flatMap((item) => itemLines(item, say)),
    ...titled(
      say('plan.section.outputs'),
      plan.outputs.flatMap((output) => outputLines(output, say)),
    ),
    ...titled(
      say('plan.section.drift'),
      sortItems(drift).flatMap((item) => itemLines(item, say)),
    ),
  ];
  const headline = headlineText(planned, plan, say);
  return lines.length === 0 ? `${headline}\n` : `${headline}\n\n${fenced(lines)}\n`;
}

/** Formats the counts: `1 to destroy, 2 to add, 12 unchanged`. */
function headlineText(items: readonly PlanItem[], plan: PlanDocument, say: Say): string {
  const counts = countKinds(items, true);
  const parts = changeKinds.flatMap((kind) => {
    const count = counts[kind] ?? 0;
    return count > 0 ? [say(kindStyles[kind].count, { count })] : [];
  });
  const unchanged = plan.unchangedCount > 0 ? [say('plan.count.unchanged', { count: plan.unchangedCount })] : [];
  const all = [...(parts.length > 0 ? parts : [say('plan.none.title')]), ...unchanged];
  return `${say('plan.text.head')} ${all.join(', ')}`;
}

const titled = (title: string, lines: readonly string[]): string[] =>
  lines.length === 0 ? [] : ['', `# ${title}`, ...lines];

/** Returns a fence one backtick longer than the longest run of backticks inside it. */
function fenced(lines: readonly string[]): string {
  const body = lines.join('\n');
  const longest = Math.max(2, ...[...body.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}diff\n${body.replace(/^\n/, '')}\n${fence}`;
}

/** Formats untrusted text as one line. */
const oneLine = (text: string): string => visibleText(text).replaceAll('\n', '\\n');
/** Cuts a long text, also at its beginning when the relevant part comes later. */
function cut(text: string, from = 0): string {
  if (text.length <= maxValueLength) return text;
  const start = Math.max(Math.min(from - 40, text.length - maxValueLength), 0);
  const end = start + maxValueLength;
  return `${start > 0 ? '…' : ''}${text.slice(start, end)}${end < text.length ? '…' : ''}`;
}

function itemLines(item: PlanItem, say: Say): string[] {
  const { resource, kind } = item;
  const head = `${signOf(resource)} ${oneLine(resource.address)} (${say(kindLabelOf(item))})`;
  const nodes = kind === 'update' || kind === 'replace' ? diffResource(resource) : [];
  return [head, ...factTexts(item, say).map((fact) => `    # ${oneLine(fact)}`), ...attributeLines(nodes, say)];
}

/** Returns the reason and the other facts of a change, one sentence each. */
export function factTexts(
  { resource, kind, isRestore }: Pick<PlanItem, 'resource' | 'kind' | 'isRestore'>,
  say: Say,
): string[] {
  const { actionReason, previousAddress, importing, deposed } = resource;
  const facts: string[] = isRestore ? [say('plan.fact.restored')] : [];
  if (actionReason !== undefined) {
    const reason = reasonText(actionReason);
    facts.push(reason ? say(reason) : actionReason);
  }
  if (isForgetting(resource)) facts.push(say('plan.fact.forgotten'));
  else if (kind === 'replace')
    facts.push(say(isCreatedFirst(resource) ? 'plan.fact.createdFirst' : 'plan.fact.destroyedFirst'));
  if (deposed !== undefined) facts.push(say('plan.fact.deposed', { key: deposed }));
  if (previousAddress !== undefined) facts.push(say('plan.fact.moved', { address: previousAddress }));
  if (importing)
    facts.push(
      importing.id === undefined ? say('plan.fact.imported') : say('plan.fact.importedId', { id: importing.id }),
    );
  return facts;
}

function attributeLines(nodes: readonly DiffNode[], say: Say): string[] {
  const lines = nodes.flatMap((node) => nodeLines(node, say));
  const rest = lines.length - maxAttributes;
  return rest <= 2 ? lines : [...lines.slice(0, maxAttributes), `    … ${say('plan.text.moreLines', { count: rest })}`];
}

function nodeLines(node: DiffNode, say: Say): string[] {
  if (isSame(node)) return [];
  if (node.kind === 'group' && node.change === 'update' && node.children.some((child) => !isSame(child))) {
    const own = node.forces ? [`    ${oneLine(pathText(node.path))}  # ${say('plan.forces')}`] : [];
    return [...own, ...node.children.flatMap((child) => nodeLines(child, say))];
  }
  const forces = node.forces ? `  # ${say('plan.forces')}` : '';
  const name = oneLine(pathText(node.path));
  const long = node.kind === 'leaf' ? longTexts(node, say) : undefined;
  if (long && (long.before ?? long.after ?? '').includes('\n')) {
    const changed = diffLines(long.before, long.after).filter((line) => line.kind !== 'same');
    const newline = finalNewline(long);
    const note = newline ? `  # ${say(`plan.note.${newline}`)}` : '';
    return [`    ${name}:${forces}${note}`, ...textLines(changed, say)];
  }
  return [`    ${name}: ${valuesText(node, say)}${forces}`];
}

function valuesText(node: DiffNode, say: Say): string {
  const left = oneLine(sideText(node.before, say));
  const right = oneLine(sideText(node.after, say, node.before));
  const differing = differingRange(left, right);
  const before = cut(left, differing?.before[0]);
  const after = cut(right, differing?.after[0]);
  if (node.change === 'add' && isMissing(node.before)) return `+ ${after}`;
  return node.after.kind === 'absent' ? `- ${before}` : `${before} → ${after}`;
}

function textLines(changed: readonly DiffLine[], say: Say): string[] {
  const shown = changed
    .slice(0, maxTextLines)
    .map((line) => `${line.kind === 'add' ? '+' : '-'}     ${cut(oneLine(line.text))}`);
  const rest = changed.length - maxTextLines;
  return rest > 0 ? [...shown, `      … ${say('plan.text.moreLines', { count: rest })}`] : shown;
}

const outputLines = (output: PlanOutput, say: Say): string[] => [
  `${signOf(output)} ${oneLine(output.name)}: ${valuesText(diffOutput(output), say)}`,
];
