import { describe, expect, test } from 'vitest';
import type { InstallConfig } from '#shared/install-configs/contract';
import type { VariablePresentation } from '#shared/install-configs/presentation';
import { inputOf, isSecret, outcomeOf } from './entry.ts';
import { findManifestForm, giverOf, inOrder, type ManifestForm, sectionsOf } from './presented-form.ts';

const label = { ja: '名前', en: 'Name' };
const field = (name: string, more: Partial<VariablePresentation> = {}): VariablePresentation => ({
  name,
  source: 'user',
  label,
  ...more,
});
const formOf = (fields: VariablePresentation[], more: Partial<ManifestForm> = {}): ManifestForm => ({
  fields,
  groups: [],
  projections: [],
  ...more,
});
const inputsOf = (fields: readonly VariablePresentation[]) =>
  fields.map((one) => inputOf({ name: one.name, type: 'string', typeText: 'string', hasDefault: true }, [], one));
const namesOf = (inputs: ReturnType<typeof inputsOf>) => inputs.map(({ declared }) => declared.name);

describe('the form of a manifest', () => {
  test('exists only when the server accepted one', () => {
    const config = { variablePresentation: [field('a')], installExperience: {} } as unknown as InstallConfig;
    expect(findManifestForm(config)).toBeUndefined();
    const accepted = { ...config, installExperience: { repositoryInstallUx: { status: 'accepted' as const } } };
    expect(findManifestForm(accepted)).toEqual({ fields: [field('a')], groups: [], projections: [] });
  });

  test('keeps its groups in order, and folds optional advanced inputs', () => {
    const fields = [
      field('plain'),
      field('folded', { advanced: true }),
      field('needed', { advanced: true, required: true }),
      field('second'),
      field('first'),
    ];
    const groups = [
      { id: 'one', label, optional: true, inputs: ['first', 'second', 'folded'] },
      { id: 'none', label, optional: true, inputs: ['folded'] },
    ];
    const form = formOf(fields, { groups });
    const { plain, groups: shown, advanced } = sectionsOf(form, inputsOf(fields));
    expect([namesOf(plain), namesOf(advanced)]).toEqual([['plain', 'needed'], ['folded']]);
    expect(shown.map(({ group, inputs }) => [group.id, ...namesOf(inputs)])).toEqual([['one', 'second', 'first']]);
    expect(namesOf(inOrder(form, inputsOf(fields)))).toEqual(['plain', 'needed', 'second', 'first', 'folded']);
  });

  test('requires what the manifest requires, and treats its secrets as secret', () => {
    const declared = { name: 'a', type: 'string' as const, typeText: 'string', hasDefault: true };
    expect(outcomeOf(inputOf(declared, [], field('a')), {}).kind).toBe('untouched');
    expect(outcomeOf(inputOf(declared, [], field('a', { required: true })), {}).kind).toBe('problem');
    const withoutDefault = { ...declared, hasDefault: false };
    expect(outcomeOf(inputOf(withoutDefault, [], field('a', { required: false, generated: true })), {}).kind).toBe(
      'untouched',
    );
    expect(isSecret(inputOf(declared, [], field('a', { secret: true })), {})).toBe(true);
    expect(isSecret(inputOf(declared, [], field('a')), {})).toBe(false);
  });

  test('names the origin of values that are not asked for', () => {
    const endpoint = { kind: 'public_endpoint' as const, variables: { url: 'url', routePattern: 'route' } };
    const form = formOf([], { projections: [endpoint] });
    const under = formOf([], { projections: [{ ...endpoint, baseDomain: 'apps.example.org' }] });
    expect(giverOf(form, field('key', { source: 'host', generated: true }))).toBe('generated');
    expect(giverOf(form, field('route', { source: 'host' }))).toBe('endpoint');
    expect(giverOf(under, field('url', { source: 'host' }))).toBe('assigned');
    expect(giverOf(form, field('client', { source: 'host' }))).toBe('host');
    expect(giverOf(form, field('slug', { source: 'capsule_name' }))).toBe('capsule_name');
    expect(giverOf(form, field('region', { source: 'module_default' }))).toBe('module_default');
  });
});
