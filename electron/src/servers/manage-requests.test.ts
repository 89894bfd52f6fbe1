import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { addServer, readManageRequest, renameServer } from './manage-requests.ts';
import { maxServers, openServerList, type ServerList } from './saved.ts';

let folder = '';
let list: ServerList;
beforeEach(() => {
  folder = mkdtempSync(path.join(os.tmpdir(), 'gc-servers-'));
  list = openServerList(path.join(folder, 'servers.json'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));
const add = (name: string, address: string) => addServer(list, { name, address, localOrigin: 'http://127.0.0.1:4600' });

test.each([
  { kind: 'add', address: 'team.example', name: 'Team' },
  { kind: 'rename', id: 'x', name: 'Team' },
  { kind: 'open', id: 'x' },
  { kind: 'remove', id: 'x' },
  { kind: 'take', id: 'x' },
  { kind: 'take', id: null },
  { kind: 'close' },
])('reads %j and nothing beside it', (request) => {
  expect(readManageRequest({ ...request, more: '/etc/passwd' })).toEqual(request);
});

test.each([
  undefined,
  null,
  'close',
  1,
  [],
  {},
  { kind: 'open' },
  { kind: 'open', id: null },
  { kind: 'add', name: 'x' },
])('does not read %j', (value) => {
  expect(readManageRequest(value)).toBeUndefined();
});

test('adds a server with a valid address and name', () => {
  expect(add('Team', 'team.example/runs')).toMatchObject({ server: { name: 'Team', origin: 'https://team.example' } });
  expect(add('Other', 'https://team.example')).toEqual({ refusal: 'known' });
  expect(add('team', 'https://lab.example')).toEqual({ refusal: 'name-known' });
  expect(add('', 'https://lab.example')).toEqual({ refusal: 'name-invalid' });
  expect(list.all()).toHaveLength(1);
});

test('renames a server, also to its own name', () => {
  add('Team', 'https://team.example');
  add('Lab', 'https://lab.example');
  const [team] = list.all();
  expect(renameServer(list, { id: team?.id ?? '', name: 'TEAM' })).toBeUndefined();
  expect(renameServer(list, { id: team?.id ?? '', name: 'lab' })).toEqual({ refusal: 'name-known' });
  expect(renameServer(list, { id: 'removed', name: 'New' })).toBeUndefined();
  expect(list.all().map(({ name }) => name)).toEqual(['TEAM', 'Lab']);
});

test('the list has an end', () => {
  for (let count = 0; count < maxServers; count += 1) add(`Server ${count}`, `https://s${count}.example`);
  expect(add('One more', 'https://more.example')).toEqual({ refusal: 'too-many' });
});
