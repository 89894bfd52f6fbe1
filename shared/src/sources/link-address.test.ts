import { expect, test } from 'vitest';
import { installLinkSearch } from './link-address.ts';

const good = '?git=https%3A%2F%2Fexample.com%2Fr';

test.each([
  [`https://ground.example/install${good}`, good],
  [`http://127.0.0.1:4600/install${good}`, good],
  [`  https://ground.example/install${good}\n`, good],
  [`https://ground.example/install${good}#x`, good],
  [`https://ground.example/new${good}`, good],
  [`groundctl://install${good}`, good],
  [`groundctl://install/${good}`, good],
  ['groundctl://install', ''],
  // An invalid link is reported to the person who opens it.
  ['https://ground.example/install?x=1', '?x=1'],
  ['https://ground.example/install?git=%zz', '?git=%zz'],
  ['groundctl://install?var.a=1', '?var.a=1'],
])('%j is an install link', (address, search) => {
  expect(installLinkSearch(address)).toBe(search);
});

test.each([
  '',
  'install?git=x',
  'https://ground.example/install',
  'https://ground.example/new',
  'https://github.com/new?name=x',
  `https://ground.example/a/install${good}`,
  `https://ground.example/installs${good}`,
  `ftp://ground.example/install${good}`,
  `javascript:/install${good}`,
  `groundctl://other${good}`,
  `groundctl:install${good}`,
  `groundctl://install/x${good}`,
  `groundctls://install${good}`,
  `https://ground.example/in\nstall${good}`,
  `https://ground.example/install?${'x'.repeat(16_384)}`,
])('%j is none', (address) => {
  expect(installLinkSearch(address)).toBeUndefined();
});
