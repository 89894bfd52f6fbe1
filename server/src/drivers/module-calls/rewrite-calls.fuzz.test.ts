import { it } from 'vitest';
import { timesOf } from '../../../../e2e/fixtures/depth.ts';
import { expectExactRewriting } from '../../../test/generated-calls.ts';

const times = timesOf({ quick: 500, deep: 20_000 });

it(`changes the sources and versions of ${times} generated files and no other byte`, async () => {
  await expectExactRewriting(times);
}, 240_000);
