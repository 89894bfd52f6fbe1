import { expect, test } from 'vitest';
import { collisionKey, foldName, isDeviceName } from './fold-name.ts';

test.each([
  ['Terraform.TFVARS', 'terraform.tfvars'],
  ['terraform.tfvars'.replace(/s$/, '\u017f'), 'terraform.tfvars'],
  ['caf\u00e9.tf', 'cafe\u0301.tf'],
  ['\u212aey', 'key'],
  ['\u00df.tf', 'SS.tf'],
])('%j and %j are one file where case and composition are ignored', (one, other) => {
  expect(collisionKey(one)).toBe(collisionKey(other));
  expect(foldName(one, 'darwin')).toBe(foldName(other, 'darwin'));
  expect(foldName(one, 'linux')).toBe(one);
});

test('two different files keep two keys', () => {
  expect(new Set(['main.tf', 'mains.tf', 'm\u00e4in.tf', 'main_.tf'].map(collisionKey)).size).toBe(4);
});

test('names that only some file systems shorten are folded there', () => {
  expect(foldName('terraform\u200c.tfvars', 'darwin')).toBe('terraform.tfvars');
  expect(foldName('terraform.tfvars. ', 'win32')).toBe('terraform.tfvars');
  expect(foldName('terraform.tfvars::$DATA', 'win32')).toBe('terraform.tfvars');
  expect(foldName('terraform.tfvars. ', 'darwin')).toBe('terraform.tfvars. ');
});

test('device names are those of Windows', () => {
  for (const name of ['CON', 'nul', 'aux.tf', 'com1', 'LPT9.txt', 'com\u00b9', 'con .tf']) {
    expect([name, isDeviceName(name, 'win32')]).toEqual([name, true]);
    expect(isDeviceName(name, 'linux')).toBe(false);
  }
  for (const name of ['console.tf', 'null', 'com', 'com10', 'a.con'])
    expect([name, isDeviceName(name, 'win32')]).toEqual([name, false]);
});
