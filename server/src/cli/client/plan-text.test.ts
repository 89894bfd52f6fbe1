import { describe, expect, test } from 'vitest';
import { parseExactly } from '#shared/kernel/exact-number';
import type { Json } from '#shared/kernel/json';
import type { PlanDocument, PlanResource } from '#shared/plans/document';
import { isDestructivePlan } from '#shared/plans/totals';
import { appliedText, planText, summaryText } from './plan-text.ts';
import { createPaint } from './terminal.ts';

const plain = createPaint(false);
const sensitive = { $svc: 'sensitive' };

const resource = (over: Partial<PlanResource>): PlanResource => ({
  address: 'terraform_data.one',
  type: 'terraform_data',
  name: 'one',
  providerName: 'terraform.io/builtin/terraform',
  mode: 'managed',
  actions: ['update'],
  before: {},
  after: {},
  afterUnknown: {},
  beforeSensitive: {},
  afterSensitive: {},
  ...over,
});
const plan = (over: Partial<PlanDocument>): PlanDocument => ({
  formatVersion: '1',
  toolVersion: '1.12.6',
  summary: { add: 0, change: 0, destroy: 0 },
  resources: [],
  outputs: [],
  drift: [],
  diagnostics: [],
  resourceCount: 0,
  unchangedCount: 0,
  ...over,
});
const linesOf = (one: Partial<PlanResource>) =>
  planText(plan({ resources: [resource(one)] }), plain).lines.slice(0, -2);

describe('a plan as a diff', () => {
  test('shows each changed path with its old and new value, and no other path', () => {
    expect(
      linesOf({
        before: { tags: { name: 'a', kept: 1 }, rules: [{ port: 1 }, { port: 2 }], same: true },
        after: { tags: { name: 'b', kept: 1 }, rules: [{ port: 1 }, { port: 3 }], same: true },
      }),
    ).toEqual(['  ~ terraform_data.one', '      tags.name: "a" -> "b"', '      rules[1].port: 2 -> 3']);
  });

  test('distinguishes numbers by every digit', () => {
    const [, odd, even] = parseExactly('[0, 9007199254740993, 9007199254740994]') as [Json, Json, Json];
    expect(linesOf({ before: { a: odd, b: [odd] }, after: { a: even, b: [odd] } })).toContain(
      '      a: 9007199254740993 -> 9007199254740994',
    );
    expect(linesOf({ before: { b: [odd] }, after: { b: [odd], c: 1 } }).join()).not.toContain('9007');
  });

  test('says what forces a replacement and why', () => {
    expect(
      linesOf({
        actions: ['delete', 'create'],
        actionReason: 'replace_because_cannot_update',
        before: { id: 'x', triggers: ['first'] },
        after: { triggers: ['second'] },
        afterUnknown: { id: true },
        replacePaths: [['triggers']],
      }),
    ).toEqual([
      '-/+ terraform_data.one  (replace because cannot update)',
      '      id: "x" -> (known after apply)',
      '      triggers: ["first"] -> ["second"]  (forces the replacement)',
    ]);
  });

  test.each<[string, Partial<PlanResource>, string]>([
    ['a replacement that creates first', { actions: ['create', 'delete'] }, '+/- terraform_data.one'],
    ['a replacement that forgets the old object', { actions: ['forget', 'create'] }, './+ terraform_data.one'],
    ['a forget', { actions: ['forget'] }, '  . terraform_data.one'],
    ['a move', { actions: ['no-op'], previousAddress: 'a.b' }, '    terraform_data.one  (moved from a.b)'],
    ['an import', { actions: ['no-op'], importing: { id: 'x' } }, '    terraform_data.one  (imported as x)'],
  ])('has the sign of the tool for %s', (_, over, line) => {
    expect(linesOf(over)).toEqual([line]);
  });

  test('shows the known values of a new resource, and names the unknown ones on one line', () => {
    expect(
      linesOf({
        actions: ['create'],
        before: null,
        after: { size: 3, list: [1, sensitive], absent: null, map: {} },
        afterUnknown: { id: true, arn: true, map: { key: true } },
      }),
    ).toEqual([
      '  + terraform_data.one',
      '      size: 3',
      '      list: [1,(sensitive)]',
      '      map: {"key":(known after apply)}',
      '      (known after apply): id, arn',
    ]);
  });

  test('shows a sensitive value as a placeholder, and only where it changes', () => {
    const marks = {
      before: { a: sensitive, b: sensitive },
      after: { a: { ...sensitive, changed: true }, b: sensitive },
    };
    expect(linesOf(marks)).toEqual(['  ~ terraform_data.one', '      a: (sensitive) -> (sensitive)']);
  });

  test('shows only the address of a destroyed resource', () => {
    expect(linesOf({ actions: ['delete'], before: { a: 1 }, after: null })).toEqual(['  - terraform_data.one']);
  });

  test('escapes terminal control characters in values, and cuts long values', () => {
    const [, hostile, long] = linesOf({
      actions: ['create'],
      before: null,
      after: { a: '\u001b]0;own\u0007\u202e', b: 'x'.repeat(500) },
    });
    expect(hostile).toMatch(/^ {6}a: "[\x20-\x7e]+"$/);
    expect(long).toHaveLength('      b: '.length + 80);
  });

  test.each([
    ['a value', { before: { a: 'x'.repeat(500) }, after: { a: `${'x'.repeat(500)}!` } }, true],
    [
      'an attribute',
      { before: {}, after: Object.fromEntries(Array.from({ length: 13 }, (_, at) => [`a${at}`, at])) },
      true,
    ],
    ['nothing', { before: { a: 1 }, after: { a: 2 } }, false],
  ])('says whether it left out %s', (_, over, expected) => {
    expect(planText(plan({ resources: [resource(over)] }), plain).isCut).toBe(expected);
  });

  test('stays short for a plan of a thousand resources', () => {
    const resources = Array.from({ length: 1_000 }, (_, at) => resource({ address: `terraform_data.n${at}` }));
    const { lines, isCut } = planText(plan({ resources }), plain);
    expect(isCut).toBe(true);
    expect(lines.length).toBeLessThan(110);
    expect(lines).toContain('  … and 900 more');
  });

  test('shows changed Outputs, drift and warnings of the tool', () => {
    const output = { before: null, after: 'v', afterUnknown: false, sensitive: false };
    const { lines, isCut } = planText(
      plan({
        outputs: [
          { name: 'url', actions: ['create'], ...output },
          { name: 'secret', actions: ['update'], ...output, sensitive: true },
          { name: 'old', actions: ['delete'], ...output },
          { name: 'same', actions: ['no-op'], ...output },
        ],
        drift: [resource({})],
        diagnostics: [{ severity: 'warning', message: 'Deprecated' }],
        summary: { add: 1, change: 2, destroy: 3, import: 4, forget: 5 },
      }),
      plain,
    );
    expect(isCut).toBe(false);
    expect(lines).toEqual([
      '',
      'Outputs',
      '  + url: "v"',
      '  ~ secret: (sensitive)',
      '  - old',
      '',
      'Changed outside since the last apply: terraform_data.one',
      'warning: Deprecated',
      '',
      'Plan: 1 to add, 2 to change, 3 to destroy, 4 to import, 5 to forget',
    ]);
  });

  test('is coloured only where asked', () => {
    const { lines } = planText(plan({ resources: [resource({ actions: ['delete'] })] }), createPaint(true));
    expect(lines[0]).toBe('\u001b[31m  - terraform_data.one\u001b[0m');
    expect(linesOf({ actions: ['delete'] }).join('')).not.toContain('\u001b');
  });
});

test.each([
  ['a destroy', { resources: [resource({ actions: ['delete'] })] }, true],
  ['a replacement that creates first', { resources: [resource({ actions: ['create', 'delete'] })] }, true],
  ['a forget', { resources: [resource({ actions: ['forget'] })] }, true],
  ['a count alone', { summary: { add: 0, change: 0, destroy: 1 } }, true],
  ['an import', { summary: { add: 0, change: 0, destroy: 0, import: 1 } }, false],
  ['creates and updates', { resources: [resource({}), resource({ actions: ['create'] })] }, false],
])('%s is destructive: %#', (_, over, expected) => {
  expect(isDestructivePlan(plan(over))).toBe(expected);
});

test('the totals of an apply are in the past', () => {
  expect(appliedText({ add: 1, change: 0, destroy: 2, import: 3, forget: 4 })).toBe(
    '1 added, 0 changed, 2 destroyed, 3 imported, 4 forgotten',
  );
});

test('a summary leaves out what does not happen', () => {
  expect(summaryText({ add: 1, change: 0, destroy: 0 })).toBe('1 to add, 0 to change, 0 to destroy');
});

test('a value of the module that imitates the mark of a sensitive one is shown', () => {
  const { lines } = planText(
    plan({ resources: [resource({ after: { input: { $svc: 'sensitive', run: 'rm' } } })] }),
    plain,
  );
  expect(lines.join('\n')).toContain('rm');
});
