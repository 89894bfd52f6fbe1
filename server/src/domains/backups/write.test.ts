import { expect, it, vi } from 'vitest';
import type { RunRecord } from '#server/domains/runs/index';
import { listMembers } from './cut-store.ts';
import { createWriting, type WritingPorts } from './write.ts';

const stopped = new Error('The server stops.');

it('ends while the ledger is copied when the server stops, and is not tried again', async () => {
  const copyLedger = vi.fn(() => new Promise<void>(() => {}));
  const ports = {
    vault: { open: () => Buffer.of() },
    keys: { ensureRecipient: async () => 'age1' },
    files: { newCopy: () => '/nowhere/ledger.db', fileOf: () => '/nowhere/archive.age' },
    copyLedger,
  } as unknown as WritingPorts;
  const stop = new AbortController();
  const written = createWriting(ports)({ id: 'run', workspaceId: 'ws', capsuleId: null } as RunRecord, stop.signal);
  await vi.waitFor(() => expect(copyLedger).toHaveBeenCalled());
  stop.abort(stopped);
  await expect(written).rejects.toBe(stopped);
  expect(copyLedger).toHaveBeenCalledOnce();
});

it('has no members to read after the server stops', () => {
  const scope = { workspaceId: 'ws', capsuleId: undefined };
  const signal = AbortSignal.abort(stopped);
  const input = { copy: '/nowhere/ledger.db', scope, openState: () => Buffer.of(), signal };
  expect(() => listMembers(input)).toThrow(stopped);
});
