import { expect, it } from 'vitest';
import { supportsProviderArguments } from './credentials.ts';

it('secret arguments of provider blocks require a tool that keeps ephemeral values out of plans', () => {
  const answers = (name: 'tofu' | 'terraform', versions: string[]) =>
    versions.map((version) => supportsProviderArguments({ name, version }));
  expect(answers('tofu', ['1.6.0', '1.10.7', '1.11.0-rc1', '1.11.0', '1.12.6', '2.0.0'])).toEqual([
    false,
    false,
    false,
    true,
    true,
    true,
  ]);
  expect(answers('terraform', ['1.5.7', '1.9.8', '1.10.0', '1.11.4'])).toEqual([false, false, true, true]);
  expect(answers('tofu', ['unknown'])).toEqual([false]);
});
