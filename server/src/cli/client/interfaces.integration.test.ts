import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { groundctl } from '../../../test/command-line.ts';
import { startTestServer, type TestServer } from '../../../test/harness.ts';

let server: TestServer;
let id = '';
beforeAll(async () => {
  server = await startTestServer();
  const { workspaceId } = server;
  const endpoint = { source: 'literal' as const, value: 'https://notes.example.com/' };
  const spec = {
    type: 'interface.ui.surface',
    version: '1',
    document: {},
    inputs: { endpoint },
    access: { visibility: 'workspace' as const },
  };
  const ownerRef = { kind: 'Workspace' as const, id: workspaceId };
  ({ id } = (await server.api.createInterface({ body: { workspaceId, name: 'Notes', ownerRef, spec } })).body);
});
afterAll(() => server.close());

const interfaces = (...args: string[]) => groundctl('interfaces', ...args, '--data-dir', server.dataDir);
const bindingsOf = async () => (await server.api.listInterfaceBindings({ params: { interfaceId: id } })).body.bindings;

describe('interfaces', () => {
  test('are listed with type, phase and address', async () => {
    const { out } = await interfaces('list');
    expect(out).toMatch(
      new RegExp(`${id} +Notes +interface.ui.surface +Resolved +Workspace +https://notes.example.com/`),
    );
    expect((await interfaces('list', '--type', 'mcp.server')).out).toBe('There are no such Interfaces.\n');
    const { interfaces: rows } = JSON.parse((await interfaces('list', '--json')).out) as { interfaces: unknown[] };
    expect(rows).toHaveLength(1);
  });

  test('are granted with the permission of their type, shown with it, and revoked', async () => {
    const granted = await interfaces('grant', 'Notes', server.subject);
    const [binding] = await bindingsOf();
    expect(granted.out).toBe(`${server.subject} may use Notes (${binding?.metadata.id}): Ready.\n`);
    expect(binding?.spec).toMatchObject({ permissions: ['ui.open'], delivery: { type: 'none' } });
    const { out } = await interfaces('show', id);
    expect(out).toContain('Notes (interface.ui.surface 1) Resolved');
    expect(out).toContain('"https://notes.example.com/"');
    expect(out).toContain(`${binding?.metadata.id}  ${server.subject}  ui.open      Ready`);
    expect(out).toContain(`${server.url}/interfaces/${id}`);
    expect((await interfaces('revoke', 'Notes', binding?.metadata.id ?? '')).out).toContain('is revoked.');
    expect((await bindingsOf()).map(({ status }) => status.phase)).toEqual(['Revoked']);
    expect((await interfaces('show', 'Notes')).out).not.toContain(server.subject);
  });

  test('say why a binding is not ready', async () => {
    const { out } = await interfaces('grant', 'Notes', server.subject, '--permission', 'x', '--delivery', 'oauth2');
    expect(out).toContain('NotReady, OAuthResourceUnavailable.');
  });

  test('name what is unknown', async () => {
    const unknown = await interfaces('show', 'Nothing');
    expect([unknown.code, unknown.err]).toEqual([2, expect.stringContaining('There is no Interface "Nothing".')]);
    const notMember = await interfaces('grant', 'Notes', 'ada@example.com');
    expect([notMember.code, notMember.err]).toEqual([2, expect.stringContaining('"ada@example.com" is not')]);
    for (const id of ['res_none', 'cap_none']) {
      const { code, err } = await interfaces('grant', 'Notes', id);
      expect([code, err]).toEqual([1, expect.stringContaining('There is no such subject in this Workspace.')]);
    }
  });
});
