import { readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { standbyOf } from './fixtures/crash.ts';
import { settled } from './fixtures/feed.ts';
import { type Harness, startHarness } from './fixtures/harness.ts';
import { getRun, installPlanned, startApply, stateVersions } from './fixtures/journey.ts';
import { fakeModule } from './fixtures/modules.ts';
import { effects } from './fixtures/provider/index.ts';

const module = fakeModule(`resource "fake_thing" "one" {
  count = 3
  name  = "late-\${count.index}"
}
`);

let harness: Harness;
beforeAll(async () => {
  harness = await startHarness({ providers: true });
});
afterAll(() => harness?.stop());

const isGone = (pid: number): boolean => {
  try {
    return /\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return true;
  }
};

it('a supervisor that wakes after its Run was given to another one changes nothing', async () => {
  const { url } = harness.repository('late', { 'main.tf': module });
  const { plan, capsuleId } = await installPlanned(harness, { url, name: 'late' });
  await expect.poll(() => standbyOf(harness), { timeout: 10_000 }).toBeDefined();
  const late = standbyOf(harness) as number;
  process.kill(late, 'SIGSTOP');
  const apply = await startApply(harness, plan);
  await expect.poll(async () => (await getRun(harness, apply.id)).status, { timeout: 10_000 }).toBe('running');
  await harness.server.kill9();
  await harness.server.restart();
  await settled(harness.server, apply.id);
  expect((await getRun(harness, apply.id)).status).toBe('succeeded');
  process.kill(late, 'SIGCONT');
  await expect.poll(() => isGone(late), { timeout: 10_000 }).toBe(true);
  const changes = effects(path.join(harness.server.dataDir, 'capsules', capsuleId, 'tree', 'world'));
  expect(changes.map(({ op }) => op)).toEqual(['create', 'create', 'create']);
  expect(await stateVersions(harness, capsuleId)).toHaveLength(1);
});
