import { expect, test } from 'vitest';
import { askToLook, forgetAsked, wasAsked } from './asked-look.ts';

test('what a person asked for is still asked for when its page is rendered twice, until it is shown', () => {
  askToLook('https://git.example/one');
  expect(wasAsked('https://git.example/other')).toBe(false);
  expect([wasAsked('https://git.example/one'), wasAsked('https://git.example/one')]).toEqual([true, true]);
  forgetAsked();
  expect(wasAsked('https://git.example/one')).toBe(false);
});
