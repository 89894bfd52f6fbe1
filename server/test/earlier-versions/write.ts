/*
 * Writes the data folder of this version beside this file, as SQL text. Each release does, so that later versions prove
 * that they open it: node server/test/earlier-versions/write.ts
 */
import { rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { installedProduct } from '../../src/index.ts';
import { startTestServer, tempDir } from '../harness.ts';
import { seedOneOfEach } from '../one-of-each.ts';
import { sealStates } from '../sealed-states.ts';
import { dumpLedger } from './dump.ts';
import { earlierFoldersDir, passphraseOf, readEverything, serverEnv } from './earlier-folder.ts';

const dataDir = tempDir();
const passphraseFile = passphraseOf(dataDir);
const server = await startTestServer({ dataDir, env: serverEnv(passphraseFile) });
const ids = await seedOneOfEach(server);
const states = server.ledger(({ sqlite }) => sqlite.prepare('SELECT id FROM state_versions').pluck().all() as string[]);
await sealStates(server, states, { passphraseFile });
const contents = await readEverything(server, ids);
await server.restart();
const sql = server.ledger(({ sqlite }) => dumpLedger(sqlite));
const { version, ledger } = installedProduct();
const file = path.join(earlierFoldersDir, `${version}-ledger-${ledger}.sql`);
writeFileSync(file, `-- ${JSON.stringify({ ids, ...contents })}\n${sql}`);
await server.close();
rmSync(dataDir, { recursive: true, force: true });
process.stdout.write(`${file}\n`);
