import { expect, test } from 'vitest';
import { findRefusal, isLeftOut, isLoadedByTool } from './tree-names.ts';

test.each([
  'main.tf',
  'dist/main.tf',
  'main.tofu',
  'main.tf.json',
  'a.tofu.json',
  'override.tf',
  'x_override.tofu.json',
  'terraform.tfvars',
  'terraform.tfvars.json',
  'prod.tfvars',
  'x.auto.tfvars.json',
  'a.tftest.hcl',
  'a.tftest.json',
  'tests/a.tofutest.hcl',
  'a.tfmock.hcl',
  'a.tfquery.hcl',
  'a.tfstack.hcl',
  'x.tfstate',
  'terraform.tfstate',
  'x.tfstate.backup',
  'terraform.tfstate.d/a/terraform.tfstate',
  '.terraform.tfstate.lock.info',
  '.terraform.lock.hcl',
  '.terraform/modules/modules.json',
  'dist/.terraform/x',
  '.terraform.d/x',
  '.terraformrc',
  '.terraform-anything',
  'terraform.rc',
  'tofu.rc',
  '.tofurc',
  'any.tfrc',
  'credentials.tfrc.json',
  'terraform.d/plugins/x',
  'terraform-provisioner-local-exec',
  'dist/terraform-provisioner-file.exe',
  'folder.tf/x.txt',
  'MAIN.TF',
  'Terraform.TFVars',
  'dist/Override.tf. ',
])('%s is loaded by a tool or changes its operation', (path) => {
  expect(isLoadedByTool(path)).toBe(true);
});

test.each([
  'dist/app.zip',
  'index.html',
  'main.tf.txt',
  'tf',
  'terraform.txt',
  'dist/terraform/x',
  'template.tftpl',
  'saved.tfplan',
  'notes.tf2x',
  'atf',
  'lock.hcl',
  'policy.json',
  'config.hcl',
])('%s is not', (path) => {
  expect(isLoadedByTool(path)).toBe(false);
});

test.each(['Terraform.tfvars', 'terraform.tfvars'.replace(/s$/, '\u017f'), 'prod.Auto.tfvars', 'Errored.TFSTATE'])(
  '%j is left out where the tool would find it, and kept on Linux',
  (name) => {
    for (const platform of ['darwin', 'win32'] as const) expect(isLeftOut(`module/${name}`, platform)).toBe(true);
    expect(isLeftOut(`module/${name}`, 'linux')).toBe(false);
  },
);

test('folders and files that a tool trusts are refused under every name by which it finds them', () => {
  for (const name of ['.Terraform/x', 'TERRAFORM.D/plugins', 'tofu.RC', 'Terraform-Provisioner-file']) {
    expect([name, findRefusal(name, 'darwin')]).toEqual([name, expect.any(String)]);
    expect(findRefusal(name, 'linux')).toBeUndefined();
  }
  expect(findRefusal('modules/aux.tf', 'win32')).toMatch(/reserves for a device/);
  expect(findRefusal('modules/aux.tf', 'darwin')).toBeUndefined();
});
