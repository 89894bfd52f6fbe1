import { createRequire } from 'node:module';
import path from 'node:path';
import type { KeychainAnswer, KeychainFault, KeychainRequest } from './keychain-protocol.ts';

/*
 * A separate process, because the keychain may ask a person for a password and block until they answer, and because a
 * crash in native code would end the server.
 */

type Keytar = {
  getPassword(service: string, account: string): Promise<string | null>;
  setPassword(service: string, account: string, password: string): Promise<void>;
  deletePassword(service: string, account: string): Promise<boolean>;
};

const load = createRequire(import.meta.url);

class Fault extends Error {
  readonly fault: KeychainFault;
  constructor(fault: KeychainFault) {
    super(fault);
    this.fault = fault;
  }
}

function openKeychain(): Keytar {
  try {
    return load('keytar') as Keytar;
  } catch {
    throw new Fault(whyNotLoaded());
  }
}

/**
 * Returns why the binding did not load. The package reports only that it found no binary; the binary itself reports
 * what it lacks.
 */
function whyNotLoaded(): KeychainFault {
  try {
    const folder = path.dirname(load.resolve('keytar/package.json'));
    load(path.join(folder, 'prebuilds', `${process.platform}-${process.arch}`, 'keytar.node'));
  } catch (error) {
    if (String((error as Error).message).includes('libsecret')) return 'no_library';
  }
  return 'no_binding';
}

async function answer(keychain: Keytar, request: KeychainRequest): Promise<string | null> {
  const { service, account } = request;
  if (request.op === 'set') await mapFault(() => keychain.setPassword(service, account, request.password));
  else if (request.op === 'delete') await mapFault(() => keychain.deletePassword(service, account));
  else
    return (
      (await mapFault(() => keychain.getPassword(service, account))) ?? (await retryAfterUnlock(keychain, request))
    );
  return null;
}

/**
 * Reads again after a write. A locked keychain returns nothing, like one without the entry. Only a write distinguishes
 * them: it fails, or the person is asked and unlocks it, and then the entry is read again.
 */
async function retryAfterUnlock(keychain: Keytar, { service, account }: KeychainRequest): Promise<string | null> {
  const probe = `${account} probe`;
  await mapFault(() => keychain.setPassword(service, probe, 'probe'));
  await mapFault(() => keychain.deletePassword(service, probe));
  return mapFault(() => keychain.getPassword(service, account));
}

async function mapFault<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw new Fault(/lock|prompt|dismiss|cancel/i.test(String((error as Error).message)) ? 'locked' : 'no_service');
  }
}

async function main(): Promise<KeychainAnswer> {
  const chunks: Buffer[] = [];
  for await (const chunk of process.stdin) chunks.push(chunk as Buffer);
  const request = JSON.parse(Buffer.concat(chunks).toString('utf8')) as KeychainRequest;
  try {
    return { ok: true, value: await answer(openKeychain(), request) };
  } catch (error) {
    return { ok: false, fault: error instanceof Fault ? error.fault : 'no_service' };
  }
}

const text = JSON.stringify(await main());
// The binding may leave a connection open that would keep this process alive.
process.stdout.write(text, () => process.exit(0));
