import { type ChangeKind, isForgetting, kindOf } from '#shared/plans/change';
import type { PlanDocument, PlanResource } from '#shared/plans/document';
import type { TextId } from '../../i18n/text.ts';
import type { Tone } from '../../ui/pill.tsx';

type KindStyle = { tone: Tone; label: TextId; count: TextId };

/** Appearance of all kinds of change. Symbol and word carry the meaning; the tone is an addition. */
export const kindStyles: Readonly<Record<ChangeKind, KindStyle>> = {
  delete: { tone: 'bad', label: 'plan.kind.delete', count: 'plan.count.delete' },
  replace: { tone: 'replace', label: 'plan.kind.replace', count: 'plan.count.replace' },
  forget: { tone: 'warn', label: 'plan.kind.forget', count: 'plan.count.forget' },
  create: { tone: 'good', label: 'plan.kind.create', count: 'plan.count.create' },
  update: { tone: 'warn', label: 'plan.kind.update', count: 'plan.count.update' },
  read: { tone: 'neutral', label: 'plan.kind.read', count: 'plan.count.read' },
  move: { tone: 'accent', label: 'plan.kind.move', count: 'plan.count.move' },
  import: { tone: 'accent', label: 'plan.kind.import', count: 'plan.count.import' },
};

/** One change of the plan, as the list shows it. */
export type PlanItem = {
  /** Unique in the plan. An address may occur more than once, for deposed objects and for drift. */
  id: string;
  /** `destroyed` are destroys and replaces, which come first. */
  section: 'destroyed' | 'rest' | 'drift';
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

/** Returns the kind of a change and those that accompany it. */
function kindsOf(resource: PlanResource): ChangeKind[] {
  const kinds = new Set<ChangeKind>([kindOf(resource)]);
  if (resource.previousAddress !== undefined) kinds.add('move');
  if (resource.importing !== undefined) kinds.add('import');
  if (isForgetting(resource)) kinds.add('forget');
  return [...kinds];
}

export const isDestroyOrReplace = (kind: ChangeKind): boolean => kind === 'delete' || kind === 'replace';

/** True when the new object is created before the old one is destroyed. */
export const isCreatedFirst = (resource: PlanResource): boolean => resource.actions[0] === 'create';

/** Returns all resource changes of a plan in its order, followed by the drift. */
export function listItems(plan: Pick<PlanDocument, 'resources' | 'drift'>): PlanItem[] {
  const deleted = new Set(plan.drift.flatMap((one) => (kindOf(one) === 'delete' ? [one.address] : [])));
  const item = (resource: PlanResource, section?: 'drift'): PlanItem => {
    const kind = kindOf(resource);
    const own = isDestroyOrReplace(kind) ? 'destroyed' : 'rest';
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

/** `registry.opentofu.org/hashicorp/aws` -> `hashicorp/aws`. */
export const shortProvider = (name: string): string => name.split('/').slice(-2).join('/');

/** Splits an address into its module part, with the dot, and the rest. */
export function splitAddress({
  address,
  moduleAddress,
}: Pick<PlanResource, 'address' | 'moduleAddress'>): [string, string] {
  const start = moduleAddress === undefined ? '' : `${moduleAddress}.`;
  return start !== '' && address.startsWith(start) ? [start, address.slice(start.length)] : ['', address];
}
