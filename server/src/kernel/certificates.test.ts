import fs from 'node:fs';
import path from 'node:path';
import { getCACertificates } from 'node:tls';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { tempDir } from '../../test/harness.ts';
import { certificatesOf } from './certificates.ts';
import { removeTree } from './remove-tree.ts';

let folder: string;
beforeEach(() => {
  folder = tempDir();
});
afterEach(() => removeTree(folder));

describe('certificatesOf', () => {
  it('changes nothing without a file', () => {
    expect(certificatesOf(undefined)).toEqual({});
  });

  it('adds the certificates of the file to the usual ones', () => {
    const file = path.join(folder, 'ca.pem');
    fs.writeFileSync(file, 'certificate');
    expect(certificatesOf(file).ca).toEqual([...getCACertificates('default'), 'certificate']);
  });

  it('throws when the file cannot be read', () => {
    expect(() => certificatesOf(path.join(folder, 'none.pem'))).toThrow('ENOENT');
  });
});
