import fs from 'node:fs';
import path from 'node:path';
import { expect, it, vi } from 'vitest';
import { repositoryRoot } from '#server/kernel/entry';
import { parseExactly } from '#shared/kernel/exact-number';
import { timesOf } from '../../../../../e2e/fixtures/depth.ts';
import { createRandom } from '../../../../../e2e/fixtures/random.ts';
import { createRandomTexts } from '../../../../test/fuzz-configuration.ts';
import { parseNativeText } from '../native-parser.ts';
import { parseSubset } from './parse-subset.ts';

/** Modules that people wrote, as a start for damaged ones. */
const written = fs
  .globSync('{resources,e2e}/**/*.tf', { cwd: repositoryRoot })
  .map((file) => fs.readFileSync(path.join(repositoryRoot, file), 'utf8'));

const times = timesOf({ quick: 5_000, deep: 400_000 });

it('returns nothing, or what the full parser returns', async () => {
  vi.spyOn(console, 'warn').mockReturnValue();
  const random = createRandom();
  const { configuration, mutate } = createRandomTexts(random);
  const damagedModule = () => mutate(written[random.below(written.length)] as string);
  const writers = [configuration, configuration, () => mutate(configuration()), damagedModule];
  let inside = 0;
  for (let index = 0; index < times; index += 1) {
    const text = (writers[index % writers.length] as () => string)();
    const root = parseSubset(text);
    if (root === undefined) continue;
    inside += 1;
    const full = await parseNativeText(text);
    const detail = `seed ${random.seed}: ${JSON.stringify(text)}`;
    expect('json' in full, detail).toBe(true);
    // As text, because the order of members matters too.
    if ('json' in full) expect(JSON.stringify(root), detail).toBe(JSON.stringify(parseExactly(full.json)));
  }
  expect(inside).toBeGreaterThan(times / 20);
});
