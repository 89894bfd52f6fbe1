import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { createAuthority } from '../../test/certificate-authority.ts';
import { startTestServer, type TestServer, tempDir } from '../../test/harness.ts';
import { readEnrolment } from '../drivers/nats/enrolment-text.ts';

describe('GROUNDCTL_CA_FILE', () => {
  let server: TestServer | undefined;
  afterEach(async () => {
    await server?.close();
    server = undefined;
  });
  const start = async (url: string, content: string): Promise<TestServer> => {
    const file = path.join(tempDir(), 'ca.pem');
    writeFileSync(file, content);
    server = await startTestServer({ env: { GROUNDCTL_NATS_URL: url, GROUNDCTL_CA_FILE: file } });
    return server;
  };
  async function pinnedBy({ api }: TestServer): Promise<string | undefined> {
    const { id: poolId } = (await api.createRunnerPool({ body: { name: 'Office' } })).body.runnerPool;
    return readEnrolment((await api.createRunnerEnrolment({ params: { poolId } })).body.text).ca;
  }

  it('is pinned in an enrolment for NATS with TLS', async () => {
    const { ca } = await createAuthority();
    expect(await pinnedBy(await start('tls://127.0.0.1:1', `# Git\n${ca}`))).toBe(`${ca.trim()}\n`);
  });

  it('is not for NATS without TLS', async () => {
    expect(await pinnedBy(await start('nats://127.0.0.1:1', (await createAuthority()).ca))).toBeUndefined();
  });

  it('is refused at the start when it cannot be pinned', async () => {
    const { ca } = await createAuthority();
    await expect(start('tls://127.0.0.1:1', 'none')).rejects.toThrow(/GROUNDCTL_CA_FILE must name a PEM file/);
    const bundle = ca.repeat(Math.ceil(65_536 / ca.length) + 1);
    await expect(start('tls://127.0.0.1:1', bundle)).rejects.toThrow(/GROUNDCTL_CA_FILE.*64 KiB/);
  });
});
