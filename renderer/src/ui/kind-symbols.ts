import type { ChangeKind } from '#shared/plans/change';

/** Symbols of the kinds of change on the screen. The signs of the tool are for text of one width. */
export const kindSymbols = {
  delete: '−',
  replace: '±',
  forget: '⊘',
  create: '+',
  update: '~',
  read: '≤',
  move: '→',
  import: '↓',
} as const satisfies Readonly<Record<ChangeKind, string>>;
