import { expect, it } from 'vitest';
import { shownAddress } from './package-collection.ts';

it.each([
  ['acme/net/aws//modules/vpc', 'acme/net/aws'],
  ['git::https://git.example/net.git//sub?ref=v1&depth=1', 'git::https://git.example/net.git?ref=v1'],
  ['https://files.example/net.zip?token=abc', 'https://files.example/net.zip'],
  ['git::https://someone:abc@git.example/net.git', 'git::https://git.example/net.git'],
  ['https://someone@git.example/net.zip?ref=v1', 'https://git.example/net.zip?ref=v1'],
])('shows %s without credentials and folder', (source, shown) => {
  expect(shownAddress(source)).toBe(shown);
});
