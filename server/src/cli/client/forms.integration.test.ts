import fs from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { groundctl } from '../../../test/command-line.ts';
import { formPackage, formPackageJson } from '../../../test/form-package.ts';
import { startTestServer, type TestServer, tempDir } from '../../../test/harness.ts';

let server: TestServer;
let work: string;
beforeAll(async () => {
  work = tempDir();
  server = await startTestServer({ env: { GROUNDCTL_FORM_HOST: '1' } });
});
afterAll(async () => {
  await server.close();
  fs.rmSync(work, { recursive: true });
});

const here = () => ['--data-dir', server.dataDir];
const fileOf = (name: string, json: unknown): string => {
  const file = path.join(work, name);
  fs.writeFileSync(file, typeof json === 'string' ? json : JSON.stringify(json));
  return file;
};
const { formRef, packageDigest } = formPackage();

describe('forms lint', () => {
  it('prints every problem with its location, and the digests of the content', async () => {
    const good = fileOf('good.json', formPackageJson());
    const bad = fileOf('bad.json', { ...formPackageJson(), hooks: 1, desiredSchema: { $ref: 'https://a.example' } });
    const broken = fileOf('broken.json', '{"a":1,"a":2}');
    const { code, out } = await groundctl('forms', 'lint', good, bad, broken, path.join(work, 'none.json'));
    expect(code).toBe(1);
    expect(out).toContain(
      `good.json: valid\n  schemaDigest   ${formRef.schemaDigest}\n  packageDigest  ${packageDigest}\n`,
    );
    expect(out).toContain('bad.json: 4 problems\n');
    expect(out).toMatch(/\n {2}\/hooks {2}\S.*\n/);
    expect(out).toMatch(/\n {2}\/desiredSchema\/\$ref {2}A reference stays inside the document/);
    expect(out).toMatch(/broken\.json: 1 problem\n {2}\(whole file\) {2}A key appears twice/);
    expect(out).toMatch(/none\.json: 1 problem\n {2}\(whole file\) {2}It cannot be read\./);
  });

  it('fills in the digests with --write, keeps the mode, and then finds nothing', async () => {
    const file = fileOf('new.json', {
      ...formPackageJson(),
      packageDigest: '',
      formRef: { ...formRef, schemaDigest: '' },
    });
    fs.chmodSync(file, 0o644);
    const { code, out } = await groundctl('forms', 'lint', '--write', file);
    expect([code, out]).toEqual([0, expect.stringContaining('new.json: valid, digests written\n')]);
    expect([JSON.parse(fs.readFileSync(file, 'utf8')), fs.statSync(file).mode & 0o777]).toEqual([
      formPackageJson(),
      0o644,
    ]);
    const again = await groundctl('forms', 'lint', '--write', '--json', file);
    expect(JSON.parse(again.out)).toEqual({
      files: [{ file, valid: true, problems: [], schemaDigest: formRef.schemaDigest, packageDigest }],
    });
  });

  it('needs a file', async () => {
    expect(await groundctl('forms', 'lint')).toMatchObject({ code: 2 });
  });
});

describe('forms install and forms list', () => {
  it('work on a running server', async () => {
    expect(await groundctl('forms', 'list', ...here())).toMatchObject({
      code: 0,
      out: expect.stringContaining('No form packages'),
    });
    const file = fileOf('bucket.json', formPackageJson());
    expect(await groundctl('forms', 'install', file, ...here())).toMatchObject({
      code: 0,
      out: 'Bucket 1.0.0 is installed as forms/bucket.json.\n',
    });
    expect((await groundctl('forms', 'install', file, ...here())).out).toMatch(/installed already/);
    const other = fileOf('bucket.json', formPackageJson({ deprecated: true, activation: { spaces: [] } }));
    expect(await groundctl('forms', 'install', other, ...here())).toMatchObject({
      code: 1,
      err: expect.stringMatching(/Choose another name/),
    });
    expect(await groundctl('forms', 'install', other, '--name', 'old.json', ...here())).toMatchObject({ code: 0 });
    const { out } = await groundctl('forms', 'list', ...here());
    expect(out).toMatch(/^FILE +KIND +VERSION +PACKAGE +STATE +SPACES +REASON\n/);
    expect(out).toMatch(/\nbucket\.json +Bucket +1\.0\.0 +[0-9a-f]{12} +installed +all\n/);
    expect(out).toMatch(/\nold\.json +Bucket +1\.0\.0 +[0-9a-f]{12} +installed, deprecated +none\n/);
  });

  it('refuse an invalid package, a changed one, and a name that leaves the folder', async () => {
    const invalid = fileOf('x.json', { ...formPackageJson(), executable: 'hunter2' });
    const refused = await groundctl('forms', 'install', invalid, ...here());
    expect([refused.code, refused.err]).toEqual([
      2,
      expect.stringMatching(/The package is not installed\. At \/executable: .* One more problem/),
    ]);
    expect(refused.err).not.toContain('hunter2');
    const good = fileOf('y.json', formPackageJson());
    for (const name of ['../y.json', '/tmp/y.json', 'native/y.json', 'y.txt', '.y.json'])
      expect((await groundctl('forms', 'install', good, '--name', name, ...here())).code).toBe(2);
    expect((await groundctl('forms', 'install', path.join(work, 'none.json'), ...here())).code).toBe(2);
  });

  it('work on a data folder without a server, and the next start reads the package', async () => {
    const stopped = await startTestServer();
    const { dataDir } = stopped;
    const running = await groundctl('forms', 'list', '--data-dir', dataDir);
    expect([running.code, running.err]).toEqual([1, expect.stringMatching(/form/i)]);
    const copy = tempDir();
    fs.cpSync(dataDir, copy, { recursive: true });
    fs.rmSync(path.join(copy, 'runtime.json'));
    await stopped.close();
    const at = ['--data-dir', copy];
    expect((await groundctl('forms', 'list', ...at)).out).toContain('No form packages');
    const file = fileOf('bucket.json', formPackageJson());
    const installed = await groundctl('forms', 'install', file, '--json', ...at);
    expect([installed.code, JSON.parse(installed.out)]).toMatchObject([
      0,
      { isNew: true, formPackage: { file: 'bucket.json', installed: true } },
    ]);
    expect((await groundctl('forms', 'install', file, ...at)).out).toMatch(/already/);
    expect((await groundctl('forms', 'install', fileOf('bad.json', {}), ...at)).code).toBe(2);
    fs.writeFileSync(path.join(copy, 'forms', 'notes.txt'), '');
    expect((await groundctl('forms', 'list', ...at)).out).toMatch(/\nnotes\.txt +not installed +Its name/);
    expect(fs.readdirSync(path.join(copy, 'forms'))).toEqual(['bucket.json', 'notes.txt']);
    fs.rmSync(copy, { recursive: true });
  });
});
