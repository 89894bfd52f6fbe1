import { expect, test, vi } from 'vitest';
import { Secret } from '../../kernel/secret.ts';
import type { HeldJob } from './held-jobs.ts';
import { deleteInput } from './prepare.ts';

const fileOf = (digit: string) => ({ digest: `sha256:${digit.repeat(64)}`, sizeBytes: Number(digit) });
const key = new Secret(Buffer.alloc(32));
const held = (input: HeldJob['input']) => ({ input, key, row: { machineId: 'rnr_1' } }) as HeldJob;

test('the job and plan files of a job that is over are deleted, and its archive stays for others', () => {
  const deleteFile = vi.fn(() => Promise.reject(new Error('NATS is away')));
  const planFiles = [{ name: 'plan', ...fileOf('3') }];
  deleteInput(held({ job: fileOf('1'), archive: { ...fileOf('2'), key: '' }, planFiles }), { deleteFile });
  const options = { machineId: 'rnr_1', key, direction: 'in' };
  expect(deleteFile.mock.calls).toEqual([
    [fileOf('1'), options],
    [fileOf('3'), options],
  ]);
  deleteInput(held(undefined), { deleteFile });
  expect(deleteFile).toHaveBeenCalledTimes(2);
});
