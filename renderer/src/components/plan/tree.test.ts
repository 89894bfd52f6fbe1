import { describe, expect, it } from 'vitest';
import type { PlanResource } from '#shared/plans/document';
import { countKinds, listItems, splitAddress } from './change.ts';
import { diffOf } from './diff.ts';
import { findMatchingPaths, matches, splitAtMatches } from './search.ts';
import { buildTree, flatten, moduleSteps, type Row, sectionId, sortItems } from './tree.ts';

const resource = (address: string, over: Partial<PlanResource> = {}): PlanResource => ({
  address,
  type: 't',
  name: 'n',
  providerName: 'registry/x/y',
  mode: 'managed',
  actions: ['update'],
  before: {},
  after: {},
  afterUnknown: {},
  beforeSensitive: {},
  afterSensitive: {},
  ...over,
});
const inModule = (moduleAddress: string, own: string, over: Partial<PlanResource> = {}) =>
  resource(`${moduleAddress}.${own}`, { moduleAddress, ...over });
const itemsOf = (resources: PlanResource[], drift: PlanResource[] = []) => sortItems(listItems({ resources, drift }));
const rowsOf = (resources: PlanResource[], closed: string[] = [], drift: PlanResource[] = []) =>
  flatten({ items: itemsOf(resources, drift), outputs: [] }, { closed: new Set(closed), open: new Set() });
const formatRow = (row: Row): string => {
  const text = {
    section: () => `# ${row.id.slice(8)}`,
    module: () => `> ${row.type === 'module' && row.module.label}`,
  };
  const own = row.type === 'resource' ? row.item.resource.address : '';
  return '  '.repeat(row.depth) + (row.type === 'section' || row.type === 'module' ? text[row.type]() : own);
};

describe('the tree of a plan', () => {
  it('puts destroys and replaces first, each part by module and by address with numbers in their order', () => {
    const rows = rowsOf([
      resource('a.gone', { actions: ['delete'] }),
      inModule('module.m', 'a.swap', { actions: ['delete', 'create'] }),
      inModule('module.m', 'a.n[10]'),
      inModule('module.m', 'a.n[2]'),
      resource('a.left', { actions: ['forget'] }),
      resource('a.begin'),
    ]);
    expect(rows.map(formatRow)).toEqual([
      '# destroyed',
      'a.gone',
      '> module.m',
      '  module.m.a.swap',
      '# rest',
      'a.left',
      'a.begin',
      '> module.m',
      '  module.m.a.n[2]',
      '  module.m.a.n[10]',
    ]);
  });

  it('nests modules and joins those without anything of their own', () => {
    const deep = 'module.a["x.y"].module.b[0].module.c';
    expect(rowsOf([inModule(deep, 'r.x')]).map(formatRow)).toEqual([`# rest`, `> ${deep}`, `  ${deep}.r.x`]);
    const rows = rowsOf([
      inModule('module.a', 'r.x'),
      inModule('module.a.module.b', 'r.y'),
      inModule('module.a.module.c.module.d', 'r.z'),
    ]);
    expect(rows.map(formatRow)).toEqual([
      '# rest',
      '> module.a',
      '  module.a.r.x',
      '  > module.b',
      '    module.a.module.b.r.y',
      '  > module.c.module.d',
      '    module.a.module.c.module.d.r.z',
    ]);
  });

  it('counts what is in a module and below it', () => {
    const items = itemsOf([
      inModule('module.a', 'r.x', { actions: ['create'] }),
      inModule('module.a.module.b', 'r.y', { actions: ['create'] }),
      inModule('module.a.module.b', 'r.z'),
    ]);
    expect(buildTree(items, 'rest').modules[0]?.counts).toEqual({ create: 2, update: 1 });
  });

  it('shows nothing of what is folded', () => {
    const resources = [inModule('module.a', 'r.x'), resource('r.gone', { actions: ['delete'] })];
    expect(rowsOf(resources, [sectionId('destroyed')]).map(formatRow)).toEqual([
      '# destroyed',
      '# rest',
      '> module.a',
      '  module.a.r.x',
    ]);
    expect(rowsOf(resources, ['rest/module.a']).map(formatRow)).toEqual([
      '# destroyed',
      'r.gone',
      '# rest',
      '> module.a',
    ]);
  });

  it('separates items of one address: a deposed object and drift', () => {
    const gone = resource('r.x', { actions: ['delete'], deposed: 'abc' });
    const rows = rowsOf([resource('r.x'), gone], [], [resource('r.x')]);
    expect(new Set(rows.map((row) => row.id)).size).toBe(rows.length);
    expect(rows.map(formatRow)).toEqual(['# destroyed', 'r.x', '# rest', 'r.x', '# drift', 'r.x']);
  });

  it('reads keys with dots, brackets and quotes', () => {
    expect(moduleSteps('module.a["x].module.z\\"]."].module.b[0].module.c')).toEqual([
      'module.a["x].module.z\\"]."]',
      'module.b[0]',
      'module.c',
    ]);
    expect(splitAddress(inModule('module.a', 'r.x'))).toEqual(['module.a.', 'r.x']);
  });

  it('labels a change by its action, and counts a moved update under both', () => {
    const items = itemsOf([
      resource('r.a', { actions: ['create', 'delete'] }),
      resource('r.b', { previousAddress: 'r.old' }),
      resource('r.c', { actions: ['no-op'], previousAddress: 'r.older' }),
      resource('r.d', { actions: ['no-op'], importing: { id: 'x' } }),
      resource('data.r.e', { actions: ['read'], mode: 'data' }),
    ]);
    expect(countKinds(items)).toEqual({ replace: 1, update: 1, move: 1, import: 1, read: 1 });
    expect(countKinds(items, true)).toEqual({ replace: 1, update: 1, move: 2, import: 1, read: 1 });
  });
});

describe('the search of a plan', () => {
  const webResource = resource('r.Web', {
    before: { tags: { Env: 'prod' }, secret: { $svc: 'sensitive' } },
    after: { tags: { Env: 'stage' }, secret: { $svc: 'sensitive', changed: true } },
    afterUnknown: { arn: true },
  });

  it('looks in addresses, names and values, whatever the case, and not in what is hidden', () => {
    for (const query of ['r.web', 'env', 'stage', 'prod', 'arn', 'secret'])
      expect(matches(webResource, query)).toBe(true);
    for (const query of ['sensitive', '$svc', 'changed', 'nowhere']) expect(matches(webResource, query)).toBe(false);
  });

  it('names the places', () => {
    expect(findMatchingPaths(diffOf(webResource), 'env')).toEqual(['tags.Env']);
    expect(findMatchingPaths(diffOf(webResource), 'stage')).toEqual(['tags.Env']);
  });

  it('cuts a text at its matches', () => {
    expect(splitAtMatches('a-Web-web', 'web')).toEqual(['a-', 'Web', '-', 'web', '']);
    expect(splitAtMatches('none', 'web')).toEqual(['none']);
  });
});
