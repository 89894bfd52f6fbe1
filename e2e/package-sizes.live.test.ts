import { expect, test } from 'vitest';
import { growthProblems, measureSizes, storedSizes } from '../.ci/release/sizes.ts';

test('no folder of the npm package and the image has grown beyond the table of docs/releasing.md', () => {
  expect(growthProblems(storedSizes(), measureSizes()), 'Find the reason, or run node .ci/release/sizes.ts').toEqual(
    [],
  );
});
