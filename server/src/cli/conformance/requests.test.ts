import { expect, it } from 'vitest';
import { substitutions } from './requests.ts';

const digest = (digit: string) => `sha256:${digit.repeat(64)}`;
const formRef = {
  apiVersion: 'example.dev/v1alpha9',
  kind: 'Queue',
  definitionVersion: '1.9.0',
  schemaDigest: digest('0'),
};
const form = { formRef, packageDigest: digest('f') };

it('changes each of the five members once, in its own form', () => {
  const changed = substitutions(form).map(({ member, form: other }) => [
    member,
    { ...other.formRef, ...other }[member as 'kind'],
  ]);
  expect(changed).toEqual([
    ['apiVersion', 'example.dev/v1alpha10'],
    ['kind', 'Queue2'],
    ['definitionVersion', '1.9.1'],
    ['schemaDigest', `sha256:1${'0'.repeat(63)}`],
    ['packageDigest', `sha256:0${'f'.repeat(63)}`],
  ]);
});

it('changes nothing else', () => {
  for (const { member, form: other } of substitutions(form)) {
    const restored = { ...other.formRef, ...(member in formRef && { [member]: formRef[member as 'kind'] }) };
    expect(restored).toEqual(formRef);
  }
});
