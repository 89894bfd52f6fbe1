import { describe, expect, it } from 'vitest';
import { type Files, reportOf } from '../../../test/scan-fixture.ts';

const files: Files = {
  'main.tf': `
resource "terraform_data" "run" {
  provisioner "local-exec" {
    command = "sh run.sh"
  }
}
resource "terraform_data" "other" {}
module "inner" {
  source = "./inner"
}
`,
  'inner/main.tf': `
data "external" "e" {
  program = ["sh", "e.sh"]
}
removed {
  from = terraform_data.gone
  provisioner "local-exec" {
    when    = destroy
    command = "true"
  }
}
`,
  'run.sh': 'echo a',
};
const programsOf = async (change: Files = {}) => (await reportOf({ ...files, ...change })).programs;

describe('program-starting blocks', () => {
  it('are named by resource, in every called module', async () => {
    expect((await programsOf())?.provisioned).toEqual(['removed', 'terraform_data.run']);
    expect((await reportOf({ 'main.tf': 'resource "terraform_data" "a" {}', 'run.sh': '' })).programs).toBeUndefined();
  });

  it('change the digest with their own content, not with other configuration', async () => {
    const before = await programsOf();
    const main = String(files['main.tf']);
    const inner = String(files['inner/main.tf']);
    for (const change of [
      { 'main.tf': main.replace('run.sh', 'other.sh') },
      { 'inner/main.tf': inner.replace('"e.sh"', '"f.sh"') },
      { 'inner/main.tf': inner.replace('"true"', '"false"') },
    ])
      expect((await programsOf(change))?.blocksDigest).not.toBe(before?.blocksDigest);
    const other = { 'main.tf': main.replace('"other" {}', '"other" {\n  input = 1\n}'), 'more.tf': 'locals {}' };
    expect(await programsOf(other)).toEqual(before);
  });

  it('change the files digest with every non-configuration file in any folder', async () => {
    const before = await programsOf();
    for (const change of [{ 'run.sh': 'echo b' }, { 'docs/readme.md': '' }])
      expect((await programsOf(change))?.filesDigest).not.toBe(before?.filesDigest);
  });
});
