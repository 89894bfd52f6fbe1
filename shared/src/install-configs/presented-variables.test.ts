import { expect, it } from 'vitest';
import type { VariableDeclaration } from '../sources/module-scan.ts';
import { listPresentedVariables } from './presented-variables.ts';

const declared = (name: string, hasDefault = false): VariableDeclaration => ({ name, type: 'string', hasDefault });
const label = (en: string) => ({ en, ja: en });

it('lists every declared variable of a configuration that presents none', () => {
  const declarations = [declared('a'), declared('b', true)];
  expect(listPresentedVariables(declarations, { variableMapping: {} })).toEqual(declarations);
});

it('leaves out what the configuration fixes, and applies what it presents', () => {
  const names = ['fixed', 'context', 'title', 'token', 'generated', 'size', 'plain'];
  const presented = listPresentedVariables(
    names.map((name) => declared(name, name === 'size')),
    {
      variableMapping: { fixed: '[REDACTED]' },
      installContextVariableMapping: { context: 'workspace_id' },
      variablePresentation: [
        { name: 'title', label: label('Title of the wiki'), defaultValue: { source: 'capsule_name' } },
        { name: 'token', label: label('token'), secret: true },
        { name: 'size', label: label('Size'), required: true },
      ],
      installExperience: { projections: [{ kind: 'initial_secret', variable: 'generated' }] },
    },
  );
  expect(presented).toEqual([
    { ...declared('title', true), description: 'Title of the wiki' },
    { ...declared('token'), sensitive: true },
    declared('generated', true),
    { ...declared('size'), description: 'Size' },
    declared('plain'),
  ]);
});
