import { createContext, useContext } from 'react';
import type { Problem } from './read-draft.ts';

/** Context shared by the controls of one input. */
type FieldScope = {
  name: string;
  isSecret: boolean;
  isLong: boolean;
  /** Ids of the description and the problem. */
  describedBy: string;
  problem?: Problem | undefined;
  onLeave: () => void;
  /** A text with line ends was pasted into a one-line control. */
  onLong: () => void;
};

const FieldContext = createContext<FieldScope | undefined>(undefined);
export const FieldScopeProvider = FieldContext.Provider;

export function useFieldScope(): FieldScope {
  const scope = useContext(FieldContext);
  if (!scope) throw new Error('A control stands outside of an input.');
  return scope;
}
