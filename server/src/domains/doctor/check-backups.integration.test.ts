import fs from 'node:fs';
import { expect, test } from 'vitest';
import { backUp } from '../../../test/backup-fixture.ts';
import { at, put, said, serveEach, server } from '../../../test/doctor-fixture.ts';

serveEach();

test('archives of backups are there, unaltered, and named by a backup', async () => {
  const [absent, altered] = [await backUp(server), await backUp(server)];
  expect(await said()).toEqual([]);
  fs.rmSync(at('backups', `${absent.id}.age`));
  fs.appendFileSync(at('backups', `${altered.id}.age`), 'x');
  put('backups/bkp_unknown.age');
  expect(await said()).toEqual([
    ['backups', 'note', absent.id],
    ['backups', 'problem', altered.id],
    ['backups', 'note', 'bkp_unknown.age'],
  ]);
});
