import { expect, it } from 'vitest';
import { createGcHold } from './hold.ts';

it('holds until every hold has ended, each once', () => {
  const gcHold = createGcHold();
  expect(gcHold.isHeld()).toBe(false);
  const [first, second] = [gcHold.hold(), gcHold.hold()];
  first();
  first();
  expect(gcHold.isHeld()).toBe(true);
  second();
  expect(gcHold.isHeld()).toBe(false);
});
