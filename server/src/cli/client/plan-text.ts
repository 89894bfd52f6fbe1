import { isContainer, type Json } from '#shared/kernel/json';
import { type Change, type ChangeKind, isNoOp, kindOf, signOf } from '#shared/plans/change';
import type { PlanDocument, PlanOutput, PlanResource } from '#shared/plans/document';
import { isSensitiveMark, isUnknownMark } from '#shared/plans/marks';
import type { PlanResourceRef, PlanSummary } from '#shared/plans/summary';
import { isWholePlan } from '#shared/plans/totals';
import { cutChange, cutValue } from './cut-value.ts';
import type { Paint, Tone } from './terminal.ts';
import { oneLine, valueText } from './text.ts';

const shownResources = 100;
const shownAttributes = 12;

const tones: Readonly<Record<ChangeKind, Tone>> = {
  delete: 'red',
  replace: 'red',
  forget: 'red',
  create: 'green',
  update: 'yellow',
  read: 'cyan',
  move: 'dim',
  import: 'dim',
};

/** Totals in the order of their output; those of the second list only where there are any. */
const totals = { always: ['add', 'change', 'destroy'], ifAny: ['import', 'forget'] } as const;
const past = {
  add: 'added',
  change: 'changed',
  destroy: 'destroyed',
  import: 'imported',
  forget: 'forgotten',
} as const;

const listTotals = (summary: PlanSummary) =>
  [...totals.always, ...totals.ifAny.filter((name) => (summary[name] ?? 0) > 0)].map(
    (name) => [summary[name] ?? 0, name] as const,
  );

/** `2 to add, 1 to change, 0 to destroy`, and imports and forgets where there are any. */
export const summaryText = (summary: PlanSummary): string =>
  listTotals(summary)
    .map(([count, name]) => `${count} to ${name}`)
    .join(', ');

/** `2 added, 1 changed, 0 destroyed`: the totals of a plan that was applied. */
export const appliedText = (summary: PlanSummary): string =>
  listTotals(summary)
    .map(([count, name]) => `${count} ${past[name]}`)
    .join(', ');

/** Rendering of a plan: its lines, and whether any were left out. */
export type Page = { paint: Paint; isCut: boolean };

/** Renders a plan as a short diff: destroys and replacements first, then each changed attribute with its old and new value. */
export function planText(plan: PlanDocument, paint: Paint): { lines: string[]; isCut: boolean } {
  const page: Page = { paint, isCut: false };
  const outputs = plan.outputs.filter((output) => !isNoOp(output));
  const lines = [
    ...firstOf(page, plan.resources, shownResources, '  ').flatMap((item) =>
      typeof item === 'string' ? item : resourceText(item, page),
    ),
    ...(outputs.length > 0 ? ['', paint('bold', 'Outputs')] : []),
    ...outputs.flatMap((output) => outputText(output, page)),
    ...driftText(plan, paint),
    ...plan.diagnostics.map(({ severity, message }) =>
      paint(severity === 'error' ? 'red' : 'yellow', `${severity}: ${oneLine(message)}`),
    ),
    '',
    totalsLine(plan.summary, paint),
  ];
  return { lines, isCut: page.isCut };
}

/** Renders what a Run carries of its plan: the address of each change, and the totals. */
export function outlineText(
  { summary, resources }: { summary: PlanSummary; resources: readonly PlanResourceRef[] },
  paint: Paint,
): { lines: string[]; isCut: boolean } {
  const page: Page = { paint, isCut: !isWholePlan(resources) };
  const lines = firstOf(page, resources, shownResources, '  ').map((item) =>
    typeof item === 'string' ? item : headText(item, paint),
  );
  return { lines: [...lines, '', totalsLine(summary, paint)], isCut: page.isCut };
}

const totalsLine = (summary: PlanSummary, paint: Paint): string => `${paint('bold', 'Plan:')} ${summaryText(summary)}`;

/** Returns the first items, and a line about the remaining ones. */
export function firstOf<Item>(page: Page, items: readonly Item[], most: number, indent: string): (Item | string)[] {
  const more = items.length - most;
  if (more <= 0) return [...items];
  page.isCut = true;
  return [...items.slice(0, most), page.paint('dim', `${indent}… and ${more} more`)];
}

function driftText({ drift }: PlanDocument, paint: Paint): string[] {
  if (drift.length === 0) return [];
  const addresses = drift.map(({ address }) => oneLine(address)).join(', ');
  return ['', paint('yellow', `Changed outside since the last apply: ${addresses}`)];
}

/** Kinds whose values are not shown: they are all lost, or all stay. */
const headOnly: ReadonlySet<ChangeKind> = new Set(['delete', 'forget', 'move', 'import']);

function resourceText(resource: PlanResource, page: Page): string[] {
  const { paint } = page;
  const kind = kindOf(resource);
  const about = [
    resource.previousAddress !== undefined && `moved from ${resource.previousAddress}`,
    resource.importing && `imported${resource.importing.id === undefined ? '' : ` as ${resource.importing.id}`}`,
    resource.deposed !== undefined && 'what an earlier replacement left behind',
    resource.actionReason?.replaceAll('_', ' '),
  ].filter((text) => typeof text === 'string');
  const remark = about.length > 0 ? paint('dim', `  (${oneLine(about.join('; '))})`) : '';
  const head = `${headText(resource, paint)}${remark}`;
  if (headOnly.has(kind)) return [head];
  const lines = kind === 'create' || kind === 'read' ? newLines(resource, page) : changeLines(resource, page);
  return [head, ...firstOf(page, lines, shownAttributes, '').map((line) => `      ${line}`)];
}

const headText = (change: Change & { address: string }, paint: Paint): string =>
  paint(tones[kindOf(change)], `${signOf(change).padStart(3)} ${oneLine(change.address)}`);

function outputText(output: PlanOutput, page: Page): string[] {
  const { name, before, after, afterUnknown, sensitive } = output;
  const kind = kindOf(output);
  const head = page.paint(tones[kind], `${signOf(output).padStart(3)} ${oneLine(name)}`);
  if (kind === 'delete') return [head];
  if (sensitive) return [`${head}: (sensitive)`];
  const next = valueText(after, afterUnknown);
  return [`${head}: ${kind === 'update' ? shownChange(page, valueText(before), next) : shownValue(page, next)}`];
}

function shownValue(page: Page, text: string): string {
  const shown = cutValue(text);
  page.isCut ||= shown !== text;
  return shown;
}

export function shownChange(page: Page, was: string, next: string): string {
  const [before, after] = cutChange(was, next);
  page.isCut ||= before !== was || after !== next;
  return `${before} -> ${after}`;
}

/** Renders the known values of a new resource; values known only after the apply are named on one line. */
function newLines({ after, afterUnknown }: PlanResource, page: Page): string[] {
  const keys = keysOf(after, afterUnknown);
  const isOpen = (key: string) => memberOf(afterUnknown, key) === true;
  const known = keys.filter((key) => !isOpen(key) && memberOf(after, key) !== null);
  const open = keys.filter(isOpen);
  return [
    ...known.map(
      (key) => `${oneLine(key)}: ${shownValue(page, valueText(memberOf(after, key), memberOf(afterUnknown, key)))}`,
    ),
    ...(open.length > 0 ? [`(known after apply): ${oneLine(open.join(', '))}`] : []),
  ];
}

/** Renders each path that changes, with its old and new value. */
export function changeLines(
  {
    before,
    after,
    afterUnknown,
    replacePaths,
  }: Pick<PlanResource, 'before' | 'after' | 'afterUnknown' | 'replacePaths'>,
  page: Page,
): string[] {
  const forced = new Set((replacePaths ?? []).map(pathText));
  const lines: string[] = [];
  const visit = (path: readonly (string | number)[], values: Values): void => {
    const pathLabel = pathText(path);
    const { before: was, after: next, unknown } = values;
    const isWhole = forced.has(pathLabel) || !isPart(was) || !isPart(next);
    if (!isWhole) {
      for (const key of keysOf(was, next, unknown))
        visit([...path, key], { before: was[key], after: next[key], unknown: memberOf(unknown, key) });
    } else if (unknown === true || !isSame(was, next)) {
      const note = forced.has(pathLabel) ? '  (forces the replacement)' : '';
      lines.push(`${oneLine(pathLabel)}: ${shownChange(page, valueText(was), valueText(next, unknown))}${note}`);
    }
  };
  visit([], { before, after, unknown: afterUnknown });
  return lines;
}

type Values = { before: Json | undefined; after: Json | undefined; unknown: Json | undefined };
type Part = { readonly [key: string]: Json };

const isPart = (value: Json | undefined): value is Part =>
  isContainer(value) && !isSensitiveMark(value) && !isUnknownMark(value);
const memberOf = (value: Json | undefined, key: string): Json | undefined =>
  isPart(value) ? value[key] : value === true ? true : undefined;
const keysOf = (...values: readonly (Json | undefined)[]): string[] => [
  ...new Set(values.flatMap((value) => (isPart(value) ? Object.keys(value) : []))),
];
/** Reports whether two values are equal. A changed sensitive value has another mark; two absent values are equal. */
const isSame = (before: Json | undefined, after: Json | undefined): boolean => {
  if (isSensitiveMark(after)) return after['changed'] !== true && after['comparable'] !== false;
  return JSON.stringify(before ?? null) === JSON.stringify(after ?? null);
};
/** Formats a path such as `tags.Name` or `rule[0].port`. */
const pathText = (path: Json | readonly (string | number)[]): string =>
  (Array.isArray(path) ? (path as readonly (string | number)[]) : [])
    .map((step, at) => (/^\d+$/.test(String(step)) ? `[${step}]` : at === 0 ? String(step) : `.${step}`))
    .join('');
