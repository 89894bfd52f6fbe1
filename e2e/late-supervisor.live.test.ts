import { readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { standbyOf } from './fixtures/crash.ts';
import { settled } from './fixtures/feed.ts';
import { type Ground, startGround } from './fixtures/ground.ts';
import { getRun, installPlanned, startApply, stateVersions } from './fixtures/journey.ts';
import { fakeModule } from './fixtures/modules.ts';
import { effects } from './fixtures/provider/index.ts';

const module = fakeModule(`resource "fake_thing" "one" {
  count = 3
  name  = "late-\${count.index}"
}
`);

let ground: Ground;
beforeAll(async () => {
  ground = await startGround({ providers: true });
});
afterAll(() => ground?.stop());

const isGone = (pid: number): boolean => {
  try {
    return /\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return true;
  }
};

it('a supervisor that wakes after its Run was given to another one changes nothing', async () => {
  const { url } = ground.repository('late', { 'main.tf': module });
  const { plan, capsuleId } = await installPlanned(ground, { url, name: 'late' });
  await expect.poll(() => standbyOf(ground), { timeout: 10_000 }).toBeDefined();
  const late = standbyOf(ground) as number;
  process.kill(late, 'SIGSTOP');
  const apply = await startApply(ground, plan);
  await expect.poll(async () => (await getRun(ground, apply.id)).status, { timeout: 10_000 }).toBe('running');
  await ground.server.kill9();
  await ground.server.restart();
  await settled(ground.server, apply.id);
  expect((await getRun(ground, apply.id)).status).toBe('succeeded');
  process.kill(late, 'SIGCONT');
  await expect.poll(() => isGone(late), { timeout: 10_000 }).toBe(true);
  const made = effects(path.join(ground.server.dataDir, 'capsules', capsuleId, 'tree', 'world'));
  expect(made.map(({ op }) => op)).toEqual(['create', 'create', 'create']);
  expect(await stateVersions(ground, capsuleId)).toHaveLength(1);
});
