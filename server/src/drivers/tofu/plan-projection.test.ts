import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { parsePlanDocument } from '#shared/plans/document';
import { projectPlan } from './plan-projection.ts';

const recorded = (name: string): string => fs.readFileSync(path.join(import.meta.dirname, 'fixtures', name), 'utf8');
const mixed = () => projectPlan(recorded('show-mixed.json'), { secrets: [] });
const find = (address: string) => mixed().document.resources.find((resource) => resource.address === address);

describe('the projection of a plan', () => {
  it('orders destroys, replaces, forgets, then the rest, each by address', () => {
    expect(mixed().document.resources.map((resource) => [resource.actions.join('+'), resource.address])).toEqual([
      ['delete', 'terraform_data.gone'],
      ['create+delete', 'terraform_data.before_destroy'],
      ['delete+create', 'terraform_data.replaced'],
      ['forget', 'terraform_data.forgotten'],
      ['read', 'data.local_file.read_later'],
      ['create', 'local_file.drifting'],
      ['update', 'module.child[0].terraform_data.inner["a"]'],
      ['update', 'module.child[0].terraform_data.inner["b\\"c"]'],
      ['no-op', 'terraform_data.imported'],
      ['no-op', 'terraform_data.new_name'],
      ['update', 'terraform_data.secret'],
      ['update', 'terraform_data.updated'],
    ]);
  });

  it('counts as the tool does and only counts unchanged resources', () => {
    const { summary, destructive, document } = mixed();
    expect(summary).toEqual({ add: 3, change: 4, destroy: 3, import: 1, forget: 1 });
    expect(destructive).toBe(true);
    expect(document).toMatchObject({
      formatVersion: '1',
      toolVersion: '1.12.6',
      resourceCount: 12,
      unchangedCount: 1,
      summary,
    });
  });

  it('names every address the plan touches once', () => {
    const { addresses } = mixed();
    expect(addresses).toHaveLength(12);
    expect(addresses).not.toContain('terraform_data.keep');
    expect(addresses).toContain('terraform_data.new_name');
  });

  it('lists moves, imports, modules, reasons and replaced attributes', () => {
    expect(find('terraform_data.new_name')).toMatchObject({ previousAddress: 'terraform_data.old_name' });
    expect(find('terraform_data.imported')).toMatchObject({ importing: { id: 'imported-id' } });
    expect(find('module.child[0].terraform_data.inner["a"]')).toMatchObject({
      moduleAddress: 'module.child[0]',
      type: 'terraform_data',
      name: 'inner',
      mode: 'managed',
    });
    expect(find('terraform_data.replaced')).toMatchObject({
      actionReason: 'replace_because_cannot_update',
      replacePaths: [['triggers_replace']],
      afterUnknown: { id: true },
    });
  });

  it('lists drift and changed outputs', () => {
    const { drift, outputs } = mixed().document;
    expect(drift.map((resource) => [resource.address, resource.actions])).toEqual([
      ['local_file.drifting', ['delete']],
    ]);
    expect(outputs.map((output) => [output.name, output.actions, output.sensitive])).toEqual([
      ['content', ['create'], false],
      ['password', ['update'], true],
      ['size', ['update'], false],
    ]);
    expect(outputs[2]).toMatchObject({ before: 1, after: 2 });
  });

  it('marks sensitive values and shows where they change', () => {
    const secret = find('terraform_data.secret');
    expect(secret?.before).toMatchObject({
      input: { user: 'u', password: { $svc: 'sensitive' }, list: [1, { $svc: 'sensitive' }] },
    });
    expect(secret?.after).toMatchObject({
      input: {
        user: 'u',
        password: { $svc: 'sensitive', changed: true },
        list: [1, { $svc: 'sensitive', changed: true }],
      },
    });
    expect(mixed().document.outputs[1]).toMatchObject({
      before: { $svc: 'sensitive' },
      after: { $svc: 'sensitive', changed: true },
    });
  });

  it('holds no sensitive value anywhere, even where the tool has lost the mark', () => {
    expect(recorded('show-mixed.json')).toContain('correct-horse');
    const text = JSON.stringify(mixed());
    expect(text).not.toContain('correct-horse');
    expect(text).not.toContain('battery-staple');
  });

  it('hides secret material of the Run that the module does not mark as sensitive', () => {
    const plan = change({
      before: { a: 'tok-12345678', b: 7, 'tok-12345678': true },
      after: { a: 'x tok-12345678 y', b: 7, n: 4242 },
    });
    const [resource] = projectPlan(plan, { secrets: ['tok-12345678', '4242', ''] }).document.resources;
    expect(resource?.before).toEqual({ a: { $svc: 'sensitive' }, b: 7, '[redacted 2]': true });
    expect(resource?.after).toEqual({
      a: { $svc: 'sensitive', changed: true },
      b: 7,
      n: { $svc: 'sensitive', changed: true },
    });
  });

  it('does not show an unchanged sensitive value as changed, and keeps the absence of a side', () => {
    const same = change({
      before: { a: ['s3cret'] },
      after: { a: ['s3cret'] },
      before_sensitive: { a: true },
      after_sensitive: { a: true },
    });
    expect(projectPlan(same, { secrets: [] }).document.resources[0]?.after).toEqual({ a: { $svc: 'sensitive' } });
    const created = change({ before: null, after: { a: 1 }, before_sensitive: true, after_sensitive: true });
    expect(projectPlan(created, { secrets: [] }).document.resources[0]).toMatchObject({
      before: null,
      after: { $svc: 'sensitive', changed: true },
    });
  });

  it('of a destroy plan destroys all and keeps nothing after', () => {
    const { summary, document } = projectPlan(recorded('show-destroy.json'), { secrets: [] });
    expect(summary).toEqual({ add: 0, change: 0, destroy: 10 });
    expect(document.resources.every((resource) => resource.after === null)).toBe(true);
  });

  it('keeps the given diagnostics', () => {
    const diagnostics = [{ severity: 'warning' as const, message: 'careful' }];
    expect(projectPlan(change({}), { secrets: [], diagnostics }).document.diagnostics).toEqual(diagnostics);
  });

  it('sorts a replace that forgets the old object with the other replaces', () => {
    const changeOf = (name: string, actions: string[]) => ({
      ...{ address: `a.${name}`, mode: 'managed', type: 'a', name },
      change: { actions },
    });
    const changes = [changeOf('a', ['forget']), changeOf('b', ['forget', 'create']), changeOf('c', ['delete'])];
    const text = JSON.stringify({ format_version: '1.2', resource_changes: changes });
    const { document, destructive } = projectPlan(text, { secrets: [] });
    expect(document.resources.map(({ address }) => address)).toEqual(['a.c', 'a.b', 'a.a']);
    expect([destructive, document.summary]).toEqual([true, { add: 1, change: 0, destroy: 1, forget: 2 }]);
  });

  it('refuses text that the tool does not print', () => {
    const wrong = [
      '',
      '[]',
      '{}',
      '{"format_version":"2.0"}',
      '{"format_version":"1.2","resource_changes":{}}',
      change({ actions: ['melt'] }),
      change({ actions: [] }),
      change({ actions: ['update', 'melt'] }),
    ];
    for (const text of wrong)
      expect(() => projectPlan(text, { secrets: [] })).toThrow(expect.objectContaining({ code: 'plan_unreadable' }));
  });
});

it('a document that the first version stored is parsed, and is what this version projects', () => {
  const text = recorded('plan-document-1.json');
  const stored = parsePlanDocument(text);
  expect(stored).toEqual(JSON.parse(text));
  expect({ ...mixed().document, diagnostics: stored.diagnostics }).toEqual(stored);
});

describe('a plan that would do more than is shown', () => {
  const plan = (members: object) => JSON.stringify({ format_version: '1.2', ...members });
  it.each([
    ['deferred_changes', [{ reason: 'resource_config_unknown' }]],
    ['action_invocations', [{ address: 'action.a.b' }]],
    ['what_comes_next', { a: 1 }],
    ['\u001b]0;own', 'x'],
  ])('is refused for its %s, named in the message', (name, member) => {
    expect(() => projectPlan(plan({ [name]: member }), { secrets: [] })).toThrow(
      expect.objectContaining({
        code: 'plan_unreadable',
        message: `The tool's description of the plan has ${JSON.stringify(name)}, which is not shown yet. Plan the module without it.`,
      }),
    );
  });

  it('is accepted when such a member is empty', () => {
    const members = { deferred_changes: [], action_invocations: null, what_comes_next: {} };
    expect(projectPlan(plan(members), { secrets: [] }).summary).toEqual({ add: 0, change: 0, destroy: 0 });
  });

  it('is refused for a change of an unknown kind', () => {
    const item = { address: 'list.a.b', mode: 'list', type: 'a', name: 'b', change: { actions: ['read'] } };
    expect(() => projectPlan(plan({ resource_changes: [item] }), { secrets: [] })).toThrow(/of a kind/);
  });
});

describe('a value that is nested deeply', () => {
  const nested = '"nested"';
  const withDepth = (depth: number, over: object) =>
    change(over).replace(nested, `${'['.repeat(depth)}1${']'.repeat(depth)}`);

  it('is shown to 200 levels', () => {
    expect(() => projectPlan(withDepth(200, { after: 'nested' }), { secrets: [] })).not.toThrow();
  });

  it.each([
    ['before', 201, { before: 'nested' }],
    ['after', 9_000, { after: 'nested' }],
    ['where it is sensitive', 9_000, { after: 'nested', after_sensitive: true }],
    ['as a mask', 9_000, { after_unknown: 'nested' }],
  ])('is refused beyond that: %s', (_, depth, over) => {
    expect(() => projectPlan(withDepth(depth, over), { secrets: [] })).toThrow(
      "The tool's description of the plan nests a value deeper than 200 levels. Flatten the value and plan again.",
    );
  });
});

function change(over: object): string {
  const one = {
    actions: ['update'],
    before: {},
    after: {},
    after_unknown: {},
    before_sensitive: {},
    after_sensitive: {},
    ...over,
  };
  const resource = { address: 'a.b', mode: 'managed', type: 'a', name: 'b', provider_name: 'r/h/a', change: one };
  return JSON.stringify({ format_version: '1.2', terraform_version: '1.12.6', resource_changes: [resource] });
}
