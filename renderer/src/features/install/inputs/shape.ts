import type { VariableType } from '#shared/variables/type-expression';

/** A type in a few characters: `list(string)`, `map(object)`. */
export function describeShape(type: VariableType): string {
  switch (type.kind) {
    case 'list':
    case 'set':
    case 'map':
      return `${type.kind}(${describeShape(type.element)})`;
    default:
      return type.kind;
  }
}
