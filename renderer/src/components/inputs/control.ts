import type { ComponentType } from 'react';
import type { VariableType } from '#shared/variables/type-expression';
import type { Draft } from './draft.ts';
import { useFieldScope } from './field-context.ts';

export type DraftProps<D extends Draft = Draft> = {
  type: VariableType;
  draft: D;
  onChange: (draft: Draft) => void;
  /** JSON Pointer of the location inside the input. */
  pointer: string;
  depth: number;
  /** Accessible name of a nested control; the root of an input has a label instead. */
  label?: string | undefined;
  placeholder?: string | undefined;
};

/** Component for nested controls, because a structure can contain any control. */
export type StructureProps<D extends Draft> = DraftProps<D> & { Nested: ComponentType<DraftProps> };

/** Attributes that connect a control to its input: id, label, problem. */
export function useControl(pointer: string, label: string | undefined, isWithin = false) {
  const { name, describedBy, problem, onLeave } = useFieldScope();
  const isInvalid =
    problem !== undefined && (isWithin ? problem.pointer.startsWith(pointer) : problem.pointer === pointer);
  return {
    id: `input-${name}${pointer}`,
    ...(label !== undefined && { 'aria-label': label }),
    ...(isInvalid && { 'aria-invalid': true as const }),
    ...((isInvalid || pointer === '') && { 'aria-describedby': describedBy }),
    onBlur: onLeave,
  };
}
