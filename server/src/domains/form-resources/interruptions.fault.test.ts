import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { repositoryRoot } from '#server/kernel/entry';
import { depth } from '../../../../e2e/fixtures/depth.ts';
import { copyOf, expectWhole, pointsOf, prepareOperation } from '../../../test/form-host-interruptions.ts';
import { operationCases } from '../../../test/form-host-operations.ts';

const entry = path.join(repositoryRoot, 'server/test/form-host-child.ts');
/** Points of a quick run: before and after the name of the native object, and in the second transaction. */
const few = ['durable.written@1', 'durable.renamed@1', 'ledger.commit@2', 'ledger.committed@1'];

describe.each(operationCases)('a process that is killed in the $name of a Resource', (operation) => {
  let prepared: Awaited<ReturnType<typeof prepareOperation>>;
  beforeAll(async () => {
    prepared = await prepareOperation(operation);
  });
  afterAll(() => fs.rmSync(path.dirname(prepared.folder), { recursive: true, force: true }));

  const points = pointsOf(operation);
  it.each(depth({ quick: points.filter(([point]) => few.includes(point)), deep: points }))(
    'at %s has done it or not (%s)',
    async (point, isDone) => {
      const dir = copyOf(prepared.folder);
      const { signal, stderr } = spawnSync(process.execPath, [entry, dir, JSON.stringify(prepared.same)], {
        env: { ...process.env, GROUNDCTL_FAILPOINT: `${point}:kill` },
        encoding: 'utf8',
      });
      expect(signal, stderr).toBe('SIGKILL');
      await expectWhole(dir, { operation, prepared, isDone });
      fs.rmSync(path.dirname(dir), { recursive: true });
    },
  );
});
