import type { PlanDocument, PlanResource } from '#shared/plans/document';
import type { TextId } from '../../../i18n/text.ts';
import type { Tone } from '../../../ui/pill.tsx';

export type PlanOutput = PlanDocument['outputs'][number];

/** Kind of change of a resource. A move or an import may accompany another change. */
export const changeKinds = ['delete', 'replace', 'forget', 'create', 'update', 'read', 'move', 'import'] as const;
export type ChangeKind = (typeof changeKinds)[number];

export type KindStyle = { symbol: string; tone: Tone; label: TextId; count: TextId };

/** Appearance of all kinds of change. Symbol and word carry the meaning; the tone is an addition. */
export const kindStyles: Readonly<Record<ChangeKind, KindStyle>> = {
  delete: { symbol: '−', tone: 'bad', label: 'plan.kind.delete', count: 'plan.count.delete' },
  replace: { symbol: '±', tone: 'replace', label: 'plan.kind.replace', count: 'plan.count.replace' },
  forget: { symbol: '⊘', tone: 'warn', label: 'plan.kind.forget', count: 'plan.count.forget' },
  create: { symbol: '+', tone: 'good', label: 'plan.kind.create', count: 'plan.count.create' },
  update: { symbol: '~', tone: 'warn', label: 'plan.kind.update', count: 'plan.count.update' },
  read: { symbol: '≤', tone: 'neutral', label: 'plan.kind.read', count: 'plan.count.read' },
  move: { symbol: '→', tone: 'accent', label: 'plan.kind.move', count: 'plan.count.move' },
  import: { symbol: '↓', tone: 'accent', label: 'plan.kind.import', count: 'plan.count.import' },
};

/** One change of the plan, as the list shows it. */
export type PlanItem = {
  /** Unique in the plan. An address may occur more than once, for deposed objects and for drift. */
  id: string;
  section: 'destructive' | 'rest' | 'drift';
  resource: PlanResource;
  kind: ChangeKind;
  /** Kinds by which the change can be filtered. */
  kinds: readonly ChangeKind[];
  /** True for a create of an object that was deleted outside. */
  isRestore: boolean;
};

/** Returns the label of a change. Drift is labeled as changed outside. */
export function kindLabelOf({ section, kind }: Pick<PlanItem, 'section' | 'kind'>): TextId {
  if (section !== 'drift') return kindStyles[kind].label;
  return kind === 'delete' ? 'plan.outside.deleted' : 'plan.outside.changed';
}

export function mainKind(resource: Pick<PlanResource, 'actions' | 'previousAddress'>): ChangeKind {
  const { actions } = resource;
  if (actions.includes('delete')) return actions.includes('create') ? 'replace' : 'delete';
  const plain = (['forget', 'create', 'update', 'read'] as const).find((action) => actions.includes(action));
  return plain ?? (resource.previousAddress === undefined ? 'import' : 'move');
}

export function kindsOf(resource: PlanResource): ChangeKind[] {
  const kinds = new Set<ChangeKind>([mainKind(resource)]);
  if (resource.previousAddress !== undefined) kinds.add('move');
  if (resource.importing !== undefined) kinds.add('import');
  // A replace by a tool that keeps the old object creates and forgets.
  if (resource.actions.includes('forget')) kinds.add('forget');
  return [...kinds];
}

export const isDestructive = (kind: ChangeKind): boolean => kind === 'delete' || kind === 'replace';

/** True when the new object is created before the old one is destroyed. */
export const isCreatedFirst = (resource: PlanResource): boolean => resource.actions[0] === 'create';

/** Returns all resource changes of a plan in its order, followed by the drift. */
export function listItems(plan: Pick<PlanDocument, 'resources' | 'drift'>): PlanItem[] {
  const deleted = new Set(plan.drift.flatMap((one) => (mainKind(one) === 'delete' ? [one.address] : [])));
  const item = (resource: PlanResource, section?: 'drift'): PlanItem => {
    const kind = mainKind(resource);
    const own = isDestructive(kind) ? 'destructive' : 'rest';
    const deposed = resource.deposed === undefined ? '' : ` ${resource.deposed}`;
    const id = `${section ?? 'plan'} ${resource.address}${deposed}`;
    const isRestore = section === undefined && kind === 'create' && deleted.has(resource.address);
    return { id, section: section ?? own, resource, kind, kinds: kindsOf(resource), isRestore };
  };
  return [
    ...plan.resources.map((resource) => item(resource)),
    ...plan.drift.map((resource) => item(resource, 'drift')),
  ];
}

export type Counts = Readonly<Partial<Record<ChangeKind, number>>>;

/** Counts the changes of each kind; `all` counts a moved update under both. */
export function countKinds(items: readonly PlanItem[], all = false): Counts {
  const counts: Partial<Record<ChangeKind, number>> = {};
  for (const item of items) for (const kind of all ? item.kinds : [item.kind]) counts[kind] = (counts[kind] ?? 0) + 1;
  return counts;
}

export const outputKind = (output: PlanOutput): ChangeKind => mainKind(output);

/** `registry.opentofu.org/hashicorp/aws` -> `hashicorp/aws`. */
export const shortProvider = (name: string): string => name.split('/').slice(-2).join('/');

/** Splits an address into its module part, with the dot, and the rest. */
export function splitAddress({ address, moduleAddress }: PlanResource): [string, string] {
  const start = moduleAddress === undefined ? '' : `${moduleAddress}.`;
  return start !== '' && address.startsWith(start) ? [start, address.slice(start.length)] : ['', address];
}
