import { readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hasNatsServer } from '../server/test/nats-server.ts';
import { findLedgerFaults } from './faults/invariants.ts';
import { depth } from './fixtures/depth.ts';
import { hasLitestream } from './fixtures/litestream.ts';
import { type Interruption, type Succession, startSuccession } from './fixtures/promotion.ts';

/** Every step of the command, in order. */
const steps = [
  'first restore',
  'promotion.restored',
  'promotion.revoked',
  'promotion.taken',
  'second restore',
  'promotion.prepared',
  'promotion.waited',
] as const satisfies readonly Interruption[];

describe.skipIf(!hasNatsServer || !hasLitestream)('an interrupted promotion', () => {
  let servers: Succession;
  const slugs: string[] = [];
  beforeAll(async () => {
    servers = await startSuccession();
  }, 120_000);
  afterAll(() => servers?.stop());

  const fenceOf = async ({ url, operatorToken }: Succession['harness']['server']) => {
    const answer = await fetch(`${url}/internal/v1/fence`, { headers: { authorization: `Bearer ${operatorToken}` } });
    return ((await answer.json()) as { fence: { status: string; holder: { term: number } } }).fence;
  };

  /** A change that the replica has, and so the next server. */
  async function makeChange(slug: string): Promise<void> {
    const { http, workspaceId } = servers.harness;
    expect((await http.post(`/api/v1/workspaces/${workspaceId}/projects`, { name: slug, slug })).status).toBe(201);
    expect(await servers.confirm()).toBe(true);
    slugs.push(slug);
  }

  const together = { at: 'each step', interruptions: steps };
  const alone = steps.map((at) => ({ at, interruptions: [at] }));
  type Interrupted = { at: string; interruptions: readonly Interruption[] };
  test.for(depth<Interrupted[]>({ quick: [together], deep: [together, ...alone] }))(
    'at $at is repeated with the same command, and ends well',
    { timeout: 600_000 },
    async ({ interruptions }) => {
      await makeChange(`before-${slugs.length}`);
      const { old } = await servers.promote(interruptions);
      expect(old.log()).toContain('Another server of this installation was promoted');

      const { http, workspaceId, server } = servers.harness;
      const { holder } = await fenceOf(server);
      expect(readFileSync(path.join(server.dataDir, 'litestream.env'), 'utf8')).toBe(`GROUNDCTL_TERM=${holder.term}\n`);
      const { body } = await http.get<{ projects: { slug: string }[] }>(`/api/v1/workspaces/${workspaceId}/projects`);
      expect(body.projects.map(({ slug }) => slug)).toEqual(expect.arrayContaining(slugs));
      await makeChange(`after-${slugs.length}`);
      expect(await findLedgerFaults(server.dataDir)).toEqual([]);
    },
  );
});
