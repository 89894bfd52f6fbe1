/*
 * Starts the server and updates an AppImage with the consent of a simulated person, by the product's own code. The
 * process kills itself at the point whose number is in UPDATE_KILL_AT, and ends with 3 when it passes fewer points.
 */
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import {
  copyStoppedLedger,
  createLog,
  fetchRelease,
  findSupervisedRuns,
  installedProduct,
  judgeRelease,
  readSettings,
  startServer,
} from '#server/index';
import { updateTextsEn } from '../src/update/update-texts.ts';
import { openUpdater, type Updater } from '../src/update/updater.ts';
import { createUpdates } from '../src/update/updates.ts';

const { UPDATE_FOLDER: folder = '', UPDATE_CHANNEL = '{}', UPDATE_KILL_AT = '0' } = process.env;
let passed = 0;
const pass = (): void => {
  passed += 1;
  if (passed === Number(UPDATE_KILL_AT)) process.kill(process.pid, 'SIGKILL');
};
/** Adds a point before a call and one after it. */
const around =
  <Args extends unknown[], Value>(call: (...args: Args) => Promise<Value> | Value) =>
  async (...args: Args): Promise<Value> => {
    pass();
    const value = await call(...args);
    pass();
    return value;
  };
const aroundSync =
  <Args extends unknown[], Value>(call: (...args: Args) => Value) =>
  (...args: Args): Value => {
    pass();
    const value = call(...args);
    pass();
    return value;
  };
const stepwise = ({ check, download, install }: Updater): Updater => ({
  check: around(check),
  download: around(download),
  install: aroundSync(install),
});

Object.defineProperty(process, 'resourcesPath', { value: folder });
const dataDir = path.join(folder, 'data');
mkdirSync(dataDir, { recursive: true, mode: 0o700 });
const log = createLog('error', path.join(folder, 'server.log'));
const settings = readSettings(process.env, { dataDir, host: '127.0.0.1', port: '0', isPersonal: true });
const server = await startServer({ settings, log });
pass();
const updates = createUpdates({
  t: updateTextsEn,
  channel: JSON.parse(UPDATE_CHANNEL),
  origin: 'signed',
  installed: installedProduct(),
  fetchRelease: around(fetchRelease),
  judgeRelease,
  openUpdater: around(async (channel) => stepwise(await openUpdater(channel, log))),
  showDialog: around(async ({ message, detail, buttons }) => {
    if (!buttons) throw new Error(`${message}: ${detail}`);
    return 0;
  }),
  reportNone: () => undefined,
  openNotes: () => undefined,
  findSupervisedRuns: aroundSync(() => findSupervisedRuns(dataDir)),
  stopServer: around(() => server.close()),
  copyLedger: aroundSync(() => copyStoppedLedger(dataDir)),
  startAgain: () => process.exit(4),
});
await updates.check();
// A killed process never comes here, and one that installed has ended.
setTimeout(() => process.exit(3), 10_000).unref();
