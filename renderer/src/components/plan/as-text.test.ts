import { describe, expect, it } from 'vitest';
import type { PlanDocument, PlanResource } from '#shared/plans/document';
import { en } from '../../i18n/en/index.ts';
import { planAsText } from './as-text.ts';
import { listItems } from './change.ts';
import type { Say } from './side-text.ts';

/** The English sentences with their values, without a formatter. */
const say: Say = (id, values = {}) =>
  Object.entries(values).reduce<string>(
    (text, [key, value]) => text.replace(new RegExp(`\\{${key}(?:, number)?\\}`, 'g'), String(value)),
    en[id],
  );

const resource = (address: string, over: Partial<PlanResource>): PlanResource => ({
  address,
  type: 't',
  name: 'n',
  providerName: 'registry/x/y',
  mode: 'managed',
  actions: ['update'],
  before: null,
  after: null,
  afterUnknown: {},
  beforeSensitive: {},
  afterSensitive: {},
  ...over,
});
const planOf = (resources: PlanResource[], over: Partial<PlanDocument> = {}): PlanDocument => ({
  formatVersion: '1',
  toolVersion: '1.12.6',
  summary: { add: 0, change: 0, destroy: 0 },
  resources,
  outputs: [],
  drift: [],
  diagnostics: [],
  resourceCount: resources.length,
  unchangedCount: 0,
  ...over,
});
const textOf = (plan: PlanDocument) => planAsText(plan, listItems(plan), say);

describe('a plan as text', () => {
  it('marks an object deleted outside, and its create as a restore', () => {
    const drift = [resource('r.gone', { actions: ['delete'] }), resource('r.edited', { actions: ['update'] })];
    const text = textOf(planOf([resource('r.gone', { actions: ['create'] })], { drift }));
    expect(text).toContain('+ r.gone (create)\n    # Deleted outside, created again.');
    expect(text).toContain('- r.gone (deleted outside)');
    expect(text).toContain('~ r.edited (changed outside)');
    expect(text).not.toContain('(destroy)');
  });

  it('has the signs of the tool, and says that the object of a forgetting replace stays', () => {
    const text = textOf(
      planOf([
        resource('r.swap', { actions: ['create', 'delete'] }),
        resource('r.kept', { actions: ['forget', 'create'] }),
        resource('r.left', { actions: ['forget'] }),
        resource('r.moved', { actions: ['no-op'], previousAddress: 'r.old' }),
        resource('r.imported', { actions: ['no-op'], importing: {} }),
      ]),
    );
    expect(text).toContain('**Plan:** 2 to replace, 2 to forget, 1 to move, 1 to import\n');
    expect(text).toContain('+/- r.swap (replace)\n    # The new one is created first, then the old one is destroyed.');
    expect(text).toContain('./+ r.kept (replace)\n    # Leaves the state; the object itself stays.\n+/- ');
    expect(text).toContain('\n. r.left (forget)');
    expect(text).toContain('\n r.moved (move)');
    expect(text).toContain('\n r.imported (import)');
  });

  it('reads like a review: destroys first, reasons, attributes of what changes', () => {
    const plan = planOf(
      [
        resource('r.new', { actions: ['create'], after: { a: 1 } }),
        resource('r.web', {
          actions: ['delete', 'create'],
          actionReason: 'replace_because_cannot_update',
          replacePaths: [['ami']],
          before: { ami: 'a', tags: { env: 'x' }, kept: 1 },
          after: { ami: 'b', tags: { env: 'y' }, kept: 1 },
          afterUnknown: { id: true },
        }),
        resource('r.gone', { actions: ['delete'], actionReason: 'delete_because_no_resource_config' }),
      ],
      {
        unchangedCount: 7,
        outputs: [
          { name: 'url', actions: ['create'], before: null, after: 'u', afterUnknown: false, sensitive: false },
        ],
      },
    );
    expect(textOf(plan)).toBe(`**Plan:** 1 to destroy, 1 to replace, 1 to add, 7 unchanged

\`\`\`diff
- r.gone (destroy)
    # Its resource block is no longer in the configuration.
-/+ r.web (replace)
    # A changed attribute cannot be updated in place.
    # Destroyed first, then created again.
    ami: "a" → "b"  # forces the replace
    id: + (known after apply)
    tags.env: "x" → "y"
+ r.new (create)

# Outputs
+ url: + "u"
\`\`\`
`);
  });

  it('says of each unknown member of an Output that it is known after apply', () => {
    const output = { name: 'o', before: null, sensitive: false };
    const text = textOf(
      planOf([], {
        outputs: [
          { ...output, actions: ['create'], after: ['a', null], afterUnknown: [false, true] },
          { ...output, actions: ['create'], after: { n: null, port: 1 }, afterUnknown: { n: false, id: true } },
          {
            ...output,
            actions: ['update'],
            before: { a: [{ b: 1 }] },
            after: null,
            afterUnknown: { a: [{ b: true }] },
          },
          { ...output, actions: ['create'], after: {}, afterUnknown: { token: true }, sensitive: true },
        ],
      }),
    );
    expect(text.split('\n').filter((line) => / o: /.test(line))).toEqual([
      '+ o: + ["a", (known after apply)]',
      '+ o: + { "n": null, "port": 1, "id": (known after apply) }',
      '~ o: { "a": [{ "b": 1 }] } → { "a": [{ "b": (known after apply) }] }',
      '+ o: + { "token": (sensitive, known after apply) }',
    ]);
  });

  it('never shows sensitive values', () => {
    const hidden = { $svc: 'sensitive' };
    const text = textOf(
      planOf([resource('r.x', { before: { p: hidden }, after: { p: { ...hidden, changed: true } } })]),
    );
    expect(text).toContain('p: (sensitive) → (sensitive, changes)');
    expect(text).not.toContain('$svc');
  });

  it('cannot be escaped by a value: no fence closes, no line starts, nothing invisible remains', () => {
    const evil = '```\n# Title <img src=x>\n\u202e\u001b[31m';
    const text = textOf(planOf([resource('r.x["`````\n"]', { before: { a: evil }, after: { a: 'b' } })]));
    const [fence] = /^`+/m.exec(text.split('\n')[2] ?? '') ?? [''];
    expect(fence).toBe('``````');
    expect(text.split('\n').filter((line) => line.startsWith(fence))).toEqual([`${fence}diff`, fence]);
    expect(text).not.toMatch(/^(?:```(?!`)|# Title)/m);
    expect(text).not.toContain('\u202e');
    expect(text).not.toContain('\u001b');
  });

  it('shows the changed lines of a long text and says how many it leaves out', () => {
    const lines = (prefix: string) => Array.from({ length: 40 }, (_, index) => `${prefix} ${index}`).join('\n');
    const text = textOf(
      planOf([resource('r.x', { before: { a: `same\n${lines('old')}` }, after: { a: `same\n${lines('new')}` } })]),
    );
    expect(text).toContain('-     old 0\n');
    expect(text).not.toContain('same\n');
    expect(text).toContain('…');
    expect(text.split('\n').length).toBeLessThan(30);
  });

  it('says that only the final newline of a text changes, without a changed line', () => {
    const text = textOf(planOf([resource('r.x', { before: { a: 'one\ntwo' }, after: { a: 'one\ntwo\n' } })]));
    expect(text).toContain('    a:  # adds the final newline\n```');
  });

  it('says when nothing changes', () => {
    expect(textOf(planOf([], { unchangedCount: 3 }))).toBe('**Plan:** No changes, 3 unchanged\n');
  });
});
