import type { VariableType } from '#shared/variables/type-expression';

/** Formats a type briefly: `list(string)`, `map(object)`. */
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
