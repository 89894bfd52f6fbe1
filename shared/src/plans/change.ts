/**
 * Actions of a change as the tool writes them in JSON (https://opentofu.org/docs/internals/json-format/). A replace has
 * two, in the order in which they happen. This file has no schema, because a supervisor starts without zod.
 */
export const planActions = ['no-op', 'create', 'read', 'update', 'delete', 'forget'] as const;
export type PlanAction = (typeof planActions)[number];

/** Kinds that end the management of an existing object, the most dangerous first. */
const destructiveKinds = ['delete', 'replace', 'forget'] as const;

/** Kinds of change of a resource or Output, in the order in which they are listed and counted. */
export const changeKinds = [...destructiveKinds, 'create', 'update', 'read', 'move', 'import'] as const;
export type ChangeKind = (typeof changeKinds)[number];

/** The part of a change that determines its kind. */
export type Change = { readonly actions: readonly PlanAction[]; readonly previousAddress?: string | undefined };

const isOneOf = <T extends string>(list: readonly T[], text: string): text is T =>
  (list as readonly string[]).includes(text);

export const isPlanAction = (value: unknown): value is PlanAction =>
  typeof value === 'string' && isOneOf(planActions, value);

/** Reports whether a change does nothing, apart from a move or an import that may accompany it. */
export const isNoOp = ({ actions }: Change): boolean => actions.every((action) => action === 'no-op');

/** Reports whether the old object leaves the state and continues to exist. */
export const isForgetting = ({ actions }: Change): boolean => actions.includes('forget');

/** Reports whether the state contains no object at the address afterwards. */
export const isRemoval = ({ actions }: Change): boolean =>
  actions.every((action) => action === 'delete' || action === 'forget');

/**
 * Returns the kind of a change. A replace destroys the old object or forgets it (`lifecycle { destroy = false }`). A
 * plan lists a no-op only for its move or import.
 */
export function kindOf({ actions, previousAddress }: Change): ChangeKind {
  const has = (action: PlanAction) => actions.includes(action);
  if (has('create') && (has('delete') || has('forget'))) return 'replace';
  const kind = (['delete', 'forget', 'create', 'update', 'read'] as const).find(has);
  return kind ?? (previousAddress === undefined ? 'import' : 'move');
}

/** Reports whether a change of this kind destroys, replaces or forgets an object, which requires an approval. */
export const isDestructive = (kind: ChangeKind): boolean => isOneOf(destructiveKinds, kind);

/** Compares kinds for a sort: destroys, replaces, forgets, then all others alike. */
export const compareKinds = (left: ChangeKind, right: ChangeKind): number => weightOf(left) - weightOf(right);

const weightOf = (kind: ChangeKind): number =>
  isOneOf(destructiveKinds, kind) ? destructiveKinds.indexOf(kind) : destructiveKinds.length;

/** Signs of the tool, as it prints them before an address. */
const toolSigns = {
  delete: '-',
  replace: '-/+',
  forget: '.',
  create: '+',
  update: '~',
  read: '<=',
  move: '',
  import: '',
} as const satisfies Readonly<Record<ChangeKind, string>>;

/** Returns the sign of a change. That of a replace shows what happens first: `-/+`, `+/-`, `./+`. */
export function signOf(change: Change, signs: Readonly<Record<ChangeKind, string>> = toolSigns): string {
  const kind = kindOf(change);
  if (kind !== 'replace') return signs[kind];
  return change.actions.flatMap((action) => (isOneOf(changeKinds, action) ? [signs[action]] : [])).join('/');
}

/** Actions that the tool reports while it works. A replace is reported as its two steps. */
export const reportedActions = ['create', 'read', 'update', 'delete', 'import', 'no-op'] as const;
export type ReportedAction = (typeof reportedActions)[number];

/** Reports whether an action changes an object or the state. */
export const isChanging = (action: string): boolean => action !== 'read' && action !== 'no-op';

/** Actions on an object itself. The others read, or change only the state. */
const objectActions = ['create', 'update', 'delete'] as const satisfies readonly ReportedAction[];
export const isObjectAction = (action: string): boolean => isOneOf(objectActions, action);
