import { describe, expect, it } from 'vitest';
import { zip } from '../../../test/zip.ts';
import { readPlannedConfiguration } from './plan-file.ts';

const files = {
  tfplan: 'opaque',
  'tfconfig/m-/main.tf': 'module "sub" {}',
  'tfconfig/m-sub/main.tf': 'locals {}',
  'tfconfig/modules.json': JSON.stringify([
    { Key: '', Dir: '.' },
    { Key: 'sub', Source: './deep', Dir: 'deep' },
  ]),
  '.terraform.lock.hcl': '# lock',
};

describe('readPlannedConfiguration', () => {
  it('reads the files of each module and the lock', () => {
    const read = readPlannedConfiguration(zip(files));
    expect(read?.lock).toBe('# lock');
    expect([...(read?.modules ?? [])]).toEqual([
      ['', { dir: '.', files: new Map([['main.tf', Buffer.from('module "sub" {}')]]) }],
      ['sub', { dir: 'deep', files: new Map([['main.tf', Buffer.from('locals {}')]]) }],
    ]);
  });

  it.each([
    ['no archive', Buffer.from('plan')],
    ['without a list of modules', zip({ ...files, 'tfconfig/modules.json': '{' })],
    ['with a list of another form', zip({ ...files, 'tfconfig/modules.json': '7' })],
    ['with a file of no module', zip({ ...files, 'tfconfig/m-other/main.tf': '' })],
    ['with two files of one name', zip([...Object.entries(files), ['tfconfig/m-/main.tf', 'other']])],
  ])('returns undefined for a file %s', (_what, bytes) => expect(readPlannedConfiguration(bytes)).toBeUndefined());
});
