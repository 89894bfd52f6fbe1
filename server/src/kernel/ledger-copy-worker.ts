import { parentPort } from 'node:worker_threads';
import { viewLedger } from './db.ts';
import { isDiskFault } from './disk.ts';
import { copyLedgerTo } from './ledger-copy.ts';
import { noLedgerMessage } from './ledger-file.ts';

/** Copy the ledger of a data folder to a new file. */
export type CopyRequest = { dataDir: string; target: string };
export type CopyAnswer = { copied: true } | { failure: string; isDiskFault: boolean };

function copy({ dataDir, target }: CopyRequest): CopyAnswer {
  try {
    const ledger = viewLedger(dataDir);
    if (!ledger) return { failure: noLedgerMessage, isDiskFault: false };
    try {
      copyLedgerTo(ledger.sqlite, target);
    } finally {
      ledger.close();
    }
    return { copied: true };
  } catch (error) {
    return { failure: 'The ledger could not be copied.', isDiskFault: isDiskFault(error) };
  }
}

const port = parentPort;
port?.on('message', (request: CopyRequest) => port.postMessage(copy(request)));
