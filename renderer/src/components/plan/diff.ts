import { isContainer, isJsonObject, type Json } from '#shared/kernel/json';
import type { PlanOutput } from '#shared/plans/document';
import { isSensitiveMark, isUnknownMark } from '#shared/plans/marks';
import { canonical, matchItems } from './list-diff.ts';
import { childOf, emptyOf, hasTrue, type Masks, memberKeys } from './value-text.ts';

/** One side of a change. */
export type Side =
  | { kind: 'absent' }
  /** `masks` marks the unknown parts of the value. */
  | { kind: 'value'; value: Json; masks?: Masks }
  | { kind: 'unknown'; sensitive: boolean }
  /**
   * `changed` is set on the side after: it reports whether the value differs from the one before. `isComparable` is false
   * when that cannot be known.
   */
  | { kind: 'sensitive'; changed: boolean; isComparable: boolean };
export type NodeChange = 'add' | 'remove' | 'update' | 'same';
export type Path = readonly (string | number)[];

type Common = {
  /** Name of the attribute, or the index in a list as `[2]`. */
  name: string;
  path: Path;
  change: NodeChange;
  /** True when this change forces the replace. */
  forces: boolean;
  before: Side;
  after: Side;
};
export type DiffLeaf = Common & {
  kind: 'leaf';
  /** Change beyond the value: its type or its sensitivity. */
  note?: 'type' | 'becomes_sensitive' | 'no_longer_sensitive';
};
export type DiffGroup = Common & { kind: 'group'; shape: 'object' | 'list'; children: DiffNode[] };
export type DiffNode = DiffLeaf | DiffGroup;

/** Both sides of one location in the plan; undefined where a side is absent. */
type NodeInput = {
  name: string;
  path: Path;
  before: Json | undefined;
  after: Json | undefined;
  unknown: Json | undefined;
  sensitive: Json | undefined;
};
type Forced = readonly Path[];

type Changed = {
  before: Json;
  after: Json;
  afterUnknown: Json;
  afterSensitive: Json;
  replacePaths?: readonly Json[] | undefined;
};

/** Returns the diff of a resource's attributes, those that force a replace first. */
export function diffResource(resource: Changed): DiffNode[] {
  const forced = (resource.replacePaths ?? []).flatMap((path) => readPath(path as Json) ?? []);
  const root = diffNode(
    {
      name: '',
      path: [],
      before: resource.before ?? undefined,
      after: resource.after ?? undefined,
      unknown: resource.afterUnknown,
      sensitive: resource.afterSensitive,
    },
    forced,
  );
  if (root.kind === 'leaf') return root.before.kind === 'absent' && root.after.kind === 'absent' ? [] : [root];
  return root.children.sort((left, right) => Number(right.forces) - Number(left.forces));
}

/** Returns the diff of an Output as one named node. */
export const diffOutput = (output: PlanOutput): DiffNode =>
  diffNode(
    {
      name: output.name,
      path: [],
      before: output.actions.includes('create') ? undefined : output.before,
      after: output.actions.includes('delete') ? undefined : output.after,
      unknown: output.afterUnknown,
      sensitive: output.sensitive,
    },
    [],
  );

/** Parses a path of the tool, which holds names and numbers. Any other path is ignored. */
function readPath(path: Json): [Path] | undefined {
  if (!Array.isArray(path)) return undefined;
  const steps: Json[] = [...path];
  return steps.every((step) => typeof step === 'string' || typeof step === 'number') ? [steps] : undefined;
}

function diffNode(input: NodeInput, forced: Forced): DiffNode {
  const before = readSide(input.before, false, false);
  const after = readSide(
    input.after ?? (hasTrue(input.unknown) ? emptyOf(input.unknown) : input.after),
    input.unknown,
    input.sensitive,
  );
  const common = { name: input.name, path: input.path, before, after };
  const shape = groupShape(before, after, input.unknown);
  const isForced = forced.some((path) => isSamePath(path, input.path));
  if (!shape) {
    const isInside = forced.some((path) => startsWith(path, input.path));
    const note = noteOf(before, after);
    return {
      kind: 'leaf',
      ...common,
      change: leafChange(before, after),
      forces: isForced || isInside,
      ...(note && { note }),
    };
  }
  const children = shape === 'list' ? diffList(input, forced) : diffObject(input, forced);
  return { kind: 'group', ...common, shape, children, change: groupChange(before, after, children), forces: isForced };
}

function readSide(value: Json | undefined, unknown: Json | undefined, sensitive: Json | undefined): Side {
  if (unknown === true) return { kind: 'unknown', sensitive: sensitive === true };
  if (value === undefined) return { kind: 'absent' };
  if (isUnknownMark(value)) return { kind: 'unknown', sensitive: false };
  if (isSensitiveMark(value))
    return { kind: 'sensitive', changed: value['changed'] === true, isComparable: value['comparable'] !== false };
  return { kind: 'value', value, ...(hasTrue(unknown) && { masks: { unknown, sensitive } }) };
}

const isMissing = (side: Side): boolean => side.kind === 'absent' || (side.kind === 'value' && side.value === null);
const valueIn = (side: Side): Json | undefined => (side.kind === 'value' ? side.value : undefined);

/** Sides are compared member by member when they have the same shape, or one is absent; empty ones are shown whole. */
function groupShape(before: Side, after: Side, unknown: Json | undefined): DiffGroup['shape'] | undefined {
  const sides = [before, after].filter((side) => !isMissing(side));
  const values = sides.map(valueIn);
  const hasMembers = values.some((value) => isContainer(value) && Object.keys(value).length > 0);
  if (sides.length === 0 || !(hasMembers || hasTrue(unknown))) return undefined;
  if (values.every(Array.isArray)) return 'list';
  return values.every((value) => isJsonObject(value)) ? 'object' : undefined;
}

function leafChange(before: Side, after: Side): NodeChange {
  if (isSameLeaf(before, after)) return 'same';
  if (isMissing(before)) return 'add';
  return isMissing(after) ? 'remove' : 'update';
}

function isSameLeaf(before: Side, after: Side): boolean {
  if (before.kind === 'absent' || after.kind === 'absent') return isMissing(before) && isMissing(after);
  if (before.kind === 'sensitive' && after.kind === 'sensitive') return !after.changed && after.isComparable;
  if (before.kind === 'unknown' && after.kind === 'unknown') return true;
  return before.kind === 'value' && after.kind === 'value' && canonical(before.value) === canonical(after.value);
}

function groupChange(before: Side, after: Side, children: readonly DiffNode[]): NodeChange {
  if (isMissing(before)) return 'add';
  if (isMissing(after)) return 'remove';
  return children.some((child) => child.change !== 'same') ? 'update' : 'same';
}

const typeOf = (value: Json): string => (value === null ? 'null' : Array.isArray(value) ? 'list' : typeof value);

function noteOf(before: Side, after: Side): DiffLeaf['note'] {
  if (isMissing(before) || isMissing(after)) return undefined;
  const isHidden = after.kind === 'sensitive' || (after.kind === 'unknown' && after.sensitive);
  if (before.kind === 'value' && isHidden) return 'becomes_sensitive';
  if (before.kind === 'sensitive' && !isHidden) return 'no_longer_sensitive';
  if (before.kind !== 'value' || after.kind !== 'value') return undefined;
  return typeOf(before.value) === typeOf(after.value) ? undefined : 'type';
}

function diffObject(input: NodeInput, forced: Forced): DiffNode[] {
  const before = isJsonObject(input.before) ? input.before : {};
  const after = isJsonObject(input.after) ? input.after : {};
  const keys = [...new Set([...Object.keys(before), ...memberKeys(after, input.unknown)])].sort();
  return keys.map((key) =>
    diffMember(
      { ...input, before, after },
      { name: key, key, before: childOf(before, key), after: childOf(after, key) },
      forced,
    ),
  );
}

function diffList(input: NodeInput, forced: Forced): DiffNode[] {
  const before = Array.isArray(input.before) ? (input.before as readonly Json[]) : [];
  const afterItems = Array.isArray(input.after) ? (input.after as readonly Json[]) : [];
  const masks = Array.isArray(input.unknown) ? input.unknown.length : 0;
  const after = Array.from({ length: Math.max(afterItems.length, masks) }, (_, index) => afterItems[index] ?? null);
  return matchItems(before, after, input.unknown).map((pair) => {
    const key = pair.after ?? pair.before ?? 0;
    const item = {
      name: `[${key}]`,
      key,
      before: pair.before === undefined ? undefined : before[pair.before],
      after: pair.after === undefined ? undefined : after[pair.after],
    };
    return diffMember(pair.after === undefined ? { ...input, unknown: undefined } : input, item, forced);
  });
}

type Member = { name: string; key: string | number; before: Json | undefined; after: Json | undefined };

function diffMember(input: NodeInput, { name, key, before, after }: Member, forced: Forced): DiffNode {
  const inside = { unknown: childOf(input.unknown, key), sensitive: childOf(input.sensitive, key) };
  return diffNode({ name, path: [...input.path, key], before, after, ...inside }, forced);
}

const isSamePath = (left: Path, right: Path): boolean => left.length === right.length && startsWith(left, right);
const startsWith = (path: Path, start: Path): boolean =>
  path.length >= start.length && start.every((step, index) => step === path[index]);

const diffs = new WeakMap<object, readonly DiffNode[]>();

/** The attributes of a resource, computed when they are first shown. */
export function diffOf(resource: Changed): readonly DiffNode[] {
  const known = diffs.get(resource);
  if (known) return known;
  const nodes = diffResource(resource);
  diffs.set(resource, nodes);
  return nodes;
}
