import { type ChangeKind, compareKinds } from '#shared/plans/change';
import type { PlanOutput } from '#shared/plans/document';
import { type Counts, countKinds, type PlanItem } from './change.ts';

export type Section = PlanItem['section'] | 'outputs';
const sections: readonly Section[] = ['destroyed', 'rest', 'outputs', 'drift'];

/** A module with its own changes and the modules it calls. */
type ModuleNode = {
  /** Unique in the plan. */
  id: string;
  /** `module.network.module.subnet["a"]` relative to its parent. Modules without changes of their own are joined. */
  label: string;
  address: string;
  counts: Counts;
  items: PlanItem[];
  modules: ModuleNode[];
};

/** One line of the list, prepared for display. */
export type Row =
  | { type: 'section'; id: string; section: Section; count: number; isFirst: boolean; isOpen: boolean; depth: 0 }
  | { type: 'module'; id: string; module: ModuleNode; isOpen: boolean; depth: number }
  | { type: 'resource'; id: string; item: PlanItem; isOpen: boolean; depth: number }
  | { type: 'output'; id: string; output: PlanOutput; kind: ChangeKind; isOpen: boolean; depth: number };

const order = new Intl.Collator('en', { numeric: true });

/** Splits a module address into its steps. Keys in brackets may contain dots and quotes. */
export const moduleSteps = (address: string): string[] =>
  address.match(/module\.[^.[]+(?:\["(?:\\.|[^"\\])*"\]|\[[^\]]*\])?/g) ?? [address];

type Draft = { address: string; items: PlanItem[]; modules: Map<string, Draft> };
const draft = (address: string): Draft => ({ address, items: [], modules: new Map() });

/** Groups changes by module and returns the root module. Within a module the order of the plan is kept. */
export function buildTree(items: readonly PlanItem[], section: Section): ModuleNode {
  const root = draft('');
  for (const item of items) {
    let node = root;
    const { moduleAddress } = item.resource;
    for (const step of moduleAddress === undefined ? [] : moduleSteps(moduleAddress)) {
      const next = node.modules.get(step) ?? draft(node.address === '' ? step : `${node.address}.${step}`);
      node.modules.set(step, next);
      node = next;
    }
    node.items.push(item);
  }
  return finish(root, '', section);
}

function finish(node: Draft, label: string, section: Section): ModuleNode {
  const [only] = node.modules;
  if (label !== '' && only && node.modules.size === 1 && node.items.length === 0)
    return finish(only[1], `${label}.${only[0]}`, section);
  const modules = [...node.modules]
    .map(([step, module]) => finish(module, step, section))
    .sort((left, right) => order.compare(left.label, right.label));
  const counts = sum([countKinds(node.items), ...modules.map((module) => module.counts)]);
  return { id: `${section}/${node.address}`, label, address: node.address, counts, items: node.items, modules };
}

function sum(all: readonly Counts[]): Counts {
  const total: Partial<Record<ChangeKind, number>> = {};
  for (const counts of all)
    for (const [kind, count] of Object.entries(counts) as [ChangeKind, number][])
      total[kind] = (total[kind] ?? 0) + count;
  return total;
}

/** Sorts changes by kind, and equal kinds by address, with numbers in numeric order. */
export const sortItems = (items: readonly PlanItem[]): PlanItem[] =>
  items.toSorted(
    (left, right) =>
      compareKinds(left.kind, right.kind) || order.compare(left.resource.address, right.resource.address),
  );

export type Shown = {
  items: readonly PlanItem[];
  outputs: readonly { id: string; output: PlanOutput; kind: ChangeKind }[];
};
/** Rows that the user closed and opened, by id. */
type Folds = { closed: ReadonlySet<string>; open: ReadonlySet<string> };

export const sectionId = (section: Section): string => `section ${section}`;

/** Returns the visible lines, top to bottom. Empty sections are left out. */
export function flatten(shown: Shown, folds: Folds): Row[] {
  return sections.flatMap((section): Row[] => {
    const items = shown.items.filter((item) => item.section === section);
    const count = section === 'outputs' ? shown.outputs.length : items.length;
    if (count === 0) return [];
    const id = sectionId(section);
    const isOpen = !folds.closed.has(id);
    const isFirst = !shown.items.some((item) => sections.indexOf(item.section) < sections.indexOf(section));
    const head: Row = { type: 'section', id, section, count, isFirst, isOpen, depth: 0 };
    if (!isOpen) return [head];
    return [
      head,
      ...(section === 'outputs' ? outputRows(shown, folds) : moduleRows(buildTree(items, section), folds, 0)),
    ];
  });
}

const outputRows = (shown: Shown, folds: Folds): Row[] =>
  shown.outputs.map((output) => ({ type: 'output', ...output, isOpen: folds.open.has(output.id), depth: 0 }));

/** Returns the resources of a module followed by its modules. The root has no line of its own. */
function moduleRows(module: ModuleNode, folds: Folds, depth: number): Row[] {
  const own = module.items.map(
    (item): Row => ({ type: 'resource', id: item.id, item, isOpen: folds.open.has(item.id), depth }),
  );
  const below = module.modules.flatMap((child): Row[] => {
    const isOpen = !folds.closed.has(child.id);
    const row: Row = { type: 'module', id: child.id, module: child, isOpen, depth };
    return isOpen ? [row, ...moduleRows(child, folds, depth + 1)] : [row];
  });
  return [...own, ...below];
}
