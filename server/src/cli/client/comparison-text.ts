import { signOf } from '#shared/plans/change';
import type {
  BindingDifference,
  ComparedOutput,
  ComparedResource,
  DifferenceKind,
  InputDifference,
  InputSide,
  PlanComparison,
} from '#shared/plans/comparison';
import { changeLines, firstOf, type Page, shownChange, summaryText } from './plan-text.ts';
import type { Paint, Tone } from './terminal.ts';
import { oneLine, valueText } from './text.ts';

const shownResources = 100;
const shownAttributes = 12;

const tones: Readonly<Record<DifferenceKind, Tone>> = {
  added: 'green',
  removed: 'red',
  changed: 'yellow',
  uncertain: 'dim',
};
const inputLabels = { added: 'set', removed: 'unset', changed: 'changed', uncertain: 'not comparable' } as const;
const resourceLabels = {
  added: 'only now',
  removed: 'no longer',
  changed: 'differs',
  uncertain: 'not comparable',
} as const;
const labelWidth = 14;

/** Renders the differences of two plans: inputs and Connections first, then results of resources and Outputs. */
export function comparisonText(comparison: PlanComparison, paint: Paint): { lines: string[]; isCut: boolean } {
  const page: Page = { paint, isCut: false };
  const { earlier, later, inputs, bindings, resources, outputs, sameCount } = comparison;
  const isSame = inputs.length + bindings.length + resources.length + outputs.length === 0;
  const lines = [
    `${paint('bold', 'Earlier:')} ${planLine(earlier)}`,
    `${paint('bold', 'Later:')}   ${planLine(later)}`,
    ...(isSame ? ['', 'Both plans do the same.'] : []),
    ...section(
      'Inputs',
      [...inputs.map((one) => inputText(one, page)), ...bindings.map((one) => bindingText(one, page))],
      paint,
    ),
    ...section(
      'Resources',
      firstOf(page, resources, shownResources, '  ').flatMap((one) =>
        typeof one === 'string' ? one : resourceText(one, page),
      ),
      paint,
    ),
    ...section(
      'Outputs',
      outputs.map((one) => outputText(one, page)),
      paint,
    ),
    ...(sameCount > 0 ? ['', paint('dim', `Changed alike by both plans, and not listed: ${sameCount}`)] : []),
  ];
  return { lines, isCut: page.isCut };
}

const section = (title: string, lines: readonly string[], paint: Paint): string[] =>
  lines.length === 0 ? [] : ['', paint('bold', title), ...lines];

const planLine = ({ runId, createdAt, resolvedCommit, summary }: PlanComparison['earlier']): string =>
  [runId, createdAt, resolvedCommit?.slice(0, 9), summaryText(summary)].filter((part) => part !== undefined).join('  ');

const labelOf = (difference: DifferenceKind, labels: Readonly<Record<DifferenceKind, string>>, paint: Paint): string =>
  `  ${paint(tones[difference], labels[difference].padEnd(labelWidth))}`;

function inputText({ name, difference, secret, before, after }: InputDifference, page: Page): string {
  const change = secret ? '(secret)' : shownChange(page, sideText(before), sideText(after));
  return `${labelOf(difference, inputLabels, page.paint)} ${oneLine(name)}: ${change}`;
}

const sideText = (side: InputSide | undefined): string => (side === undefined ? 'default' : valueText(side.value));

function bindingText({ providerName, alias, before, after }: BindingDifference, page: Page): string {
  const difference = before === undefined ? 'added' : after === undefined ? 'removed' : 'changed';
  const provider = oneLine(alias === undefined ? providerName : `${providerName}.${alias}`);
  const change = `${before ?? 'no Connection'} -> ${after ?? 'no Connection'}`;
  return `${labelOf(difference, inputLabels, page.paint)} Connection of ${provider}: ${change}`;
}

function resourceText(resource: ComparedResource, page: Page): string[] {
  const { difference, address, earlier, later, before, after, start } = resource;
  const actions = [earlier, later].flatMap((one) => (one ? signOf(one).trim() || 'move' : [])).join(' -> ');
  const head = `${labelOf(difference, resourceLabels, page.paint)} ${oneLine(address)} ${page.paint('dim', `(${actions})`)}`;
  const lines = changeLines({ before, after, afterUnknown: false }, page);
  const startLines = start ? changeLines({ ...start, afterUnknown: false }, page) : [];
  const all = [...lines, ...startLines.map((line) => `${line} (before the plan)`)];
  return [head, ...firstOf(page, all, shownAttributes, '').map((line) => `      ${line}`)];
}

function outputText({ difference, name, before, after }: ComparedOutput, page: Page): string {
  return `${labelOf(difference, resourceLabels, page.paint)} ${oneLine(name)}: ${shownChange(page, valueText(before), valueText(after))}`;
}
