import { describe, expect, it } from 'vitest';
import { zip } from '../../../test/zip.ts';
import { readPlannedConfiguration } from './plan-file.ts';

/** A state as the tool writes it. */
const stateOf = (rest: object) =>
  JSON.stringify({ version: 4, terraform_version: '1.12.6', serial: 3, lineage: 'l', ...rest }, null, 2);

const files = {
  tfplan: 'opaque',
  'tfconfig/m-/main.tf': 'module "sub" {}',
  'tfconfig/m-sub/main.tf': 'locals {}',
  'tfconfig/modules.json': JSON.stringify([
    { Key: '', Dir: '.' },
    { Key: 'sub', Source: './deep', Dir: 'deep' },
  ]),
  '.terraform.lock.hcl': '# lock',
  tfstate: stateOf({ resources: [] }),
};

describe('readPlannedConfiguration', () => {
  it('reads the files of each module, the lock and the base state', () => {
    const read = readPlannedConfiguration(zip(files));
    expect(read?.lock).toBe('# lock');
    expect(read?.state).toEqual({ lineage: 'l', serial: 3 });
    expect([...(read?.modules ?? [])]).toEqual([
      ['', { dir: '.', files: new Map([['main.tf', Buffer.from('module "sub" {}')]]) }],
      ['sub', { dir: 'deep', files: new Map([['main.tf', Buffer.from('locals {}')]]) }],
    ]);
  });

  it('reads the base of a state that is larger than any file of a configuration', () => {
    const tfstate = stateOf({ outputs: { large: { value: 'x'.repeat(70_000_000), type: 'string' } } });
    expect(readPlannedConfiguration(zip({ ...files, tfstate }))?.state).toEqual({ lineage: 'l', serial: 3 });
  });

  it.each([
    ['no archive', Buffer.from('plan')],
    ['without a list of modules', zip({ ...files, 'tfconfig/modules.json': '{' })],
    ['with a list of another form', zip({ ...files, 'tfconfig/modules.json': '7' })],
    ['with a file of no module', zip({ ...files, 'tfconfig/m-other/main.tf': '' })],
    ['without a state', zip({ ...files, tfstate: '' })],
    ['with a state of another form', zip({ ...files, tfstate: '{"lineage":"l","serial":3}' })],
    ['with two files of one name', zip([...Object.entries(files), ['tfconfig/m-/main.tf', 'other']])],
  ])('returns undefined for a file %s', (_what, bytes) => expect(readPlannedConfiguration(bytes)).toBeUndefined());
});
