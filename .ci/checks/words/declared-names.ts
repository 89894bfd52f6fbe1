import { parseSync } from '@swc/core';

/** Splits an identifier or a file name into words, lower case: `isLocalOwner` is `is`, `local`, `owner`. */
export const splitName = (name: string): string[] =>
  [...name.matchAll(/[A-Z]+(?![a-z])|[A-Z]?[a-z]+/g)].map(([word]) => word.toLowerCase());

type Node = { type?: string; [key: string]: unknown };

/**
 * Returns the names that a TypeScript source declares: variables, parameters, functions, classes, types, and the
 * members of classes and types. Keys of object literals are left out, because many of them belong to the protocol of
 * another program.
 */
export function declaredNames(source: string, isTsx: boolean): string[] {
  const names: string[] = [];
  visit(parseSync(source, { syntax: 'typescript', tsx: isTsx, target: 'es2022' }), (name) => names.push(name));
  return names;
}

/** Child of each node type that the node declares. */
const declaring: Readonly<Record<string, string>> = {
  VariableDeclarator: 'id',
  FunctionDeclaration: 'identifier',
  ClassDeclaration: 'identifier',
  TsTypeAliasDeclaration: 'id',
  TsInterfaceDeclaration: 'id',
  TsPropertySignature: 'key',
  TsMethodSignature: 'key',
  ClassMethod: 'key',
  ClassProperty: 'key',
};

function visit(node: unknown, add: (name: string) => void): void {
  if (Array.isArray(node)) {
    for (const item of node) visit(item, add);
    return;
  }
  if (typeof node !== 'object' || node === null) return;
  const { type, ...children } = node as Node;
  const declared = type === undefined ? undefined : declaring[type];
  if (declared !== undefined) pattern(children[declared], add);
  if (type === 'Parameter') pattern(children['pat'], add);
  if (type === 'ArrowFunctionExpression')
    for (const parameter of children['params'] as unknown[]) pattern(parameter, add);
  for (const child of Object.values(children)) visit(child, add);
}

/** Visits the identifiers of a binding pattern, as in `const { a, b: [c] } = …`. */
function pattern(node: unknown, add: (name: string) => void): void {
  if (typeof node !== 'object' || node === null) return;
  const { type, ...parts } = node as Node;
  if (type === 'Identifier') add(String(parts['value']));
  else if (type === 'ArrayPattern') for (const element of parts['elements'] as unknown[]) pattern(element, add);
  else if (type === 'ObjectPattern') for (const property of parts['properties'] as unknown[]) pattern(property, add);
  else if (type === 'KeyValuePatternProperty') pattern(parts['value'], add);
  else if (type === 'AssignmentPatternProperty') add(String((parts['key'] as Node)['value']));
  else if (type === 'AssignmentPattern') pattern(parts['left'], add);
  else if (type === 'RestElement') pattern(parts['argument'], add);
}
