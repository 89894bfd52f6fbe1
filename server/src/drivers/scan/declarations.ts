import type { OutputDeclaration, VariableDeclaration, VariableTypeClass } from '#shared/sources/module-scan';
import { cleanTypeText, parseType, type VariableType } from '#shared/variables/type-expression';
import { attribute, type Declared } from './blocks.ts';
import { literalBoolean, literalText, literalValue } from './expressions.ts';

const classes: Readonly<Record<VariableType['kind'], VariableTypeClass>> = {
  string: 'string',
  number: 'number',
  bool: 'boolean',
  list: 'json',
  set: 'json',
  map: 'json',
  object: 'json',
  tuple: 'json',
  any: 'unknown',
};

/** Returns the variables of a module, in the order in which its files declare them. */
export const variableDeclarations = (variables: readonly Declared[]): VariableDeclaration[] =>
  variables.map(declareVariable);

function declareVariable({ labels, body }: Declared): VariableDeclaration {
  const typeAttribute = attribute(body, 'type');
  const typeText = typeof typeAttribute === 'string' ? cleanTypeText(typeAttribute) : undefined;
  const type = typeText === undefined ? undefined : parseType(typeText);
  return {
    name: labels[0] as string,
    type: type ? classes[type.kind] : 'unknown',
    hasDefault: attribute(body, 'default') !== undefined,
    ...whenDefined('typeText', typeText),
    ...whenDefined('description', literalText(attribute(body, 'description'))),
    ...whenDefined('nullable', literalBoolean(attribute(body, 'nullable'))),
    ...whenDefined('sensitive', sensitivity(body)),
    ...whenDefined('ephemeral', literalBoolean(attribute(body, 'ephemeral'))),
    ...whenDefined('deprecated', literalText(attribute(body, 'deprecated'))),
    ...(sensitivity(body) ? {} : whenDefined('default', literalDefault(body))),
  };
}

/** Returns the sensitivity. A mark that is not a literal counts as set: a possible secret is treated as one. */
function sensitivity(body: Declared['body']): boolean | undefined {
  const mark = attribute(body, 'sensitive');
  return mark === undefined ? undefined : (literalBoolean(mark) ?? true);
}

/** The scan holds only plain JSON here, which the contract's own JSON type declares with mutable members. */
const literalDefault = (body: Declared['body']): VariableDeclaration['default'] =>
  literalValue(attribute(body, 'default')) as VariableDeclaration['default'];

const whenDefined = <K extends string, T>(key: K, value: T | undefined): { [P in K]?: T } =>
  (value === undefined ? {} : { [key]: value }) as { [P in K]?: T };

/** Returns the outputs of a module, sorted by name. */
export const outputDeclarations = (outputs: readonly Declared[]): OutputDeclaration[] =>
  outputs
    .map(({ labels, body }) => ({
      name: labels[0] as string,
      sensitive: mark(body, 'sensitive'),
      ephemeral: mark(body, 'ephemeral'),
    }))
    .sort((left, right) => (left.name < right.name ? -1 : 1));

const mark = (body: Declared['body'], name: string): boolean | null => {
  const value = attribute(body, name);
  return value === undefined ? false : (literalBoolean(value) ?? null);
};
