// Makes the packages of the desktop for the system and processor it runs on, signed when the environment has what that
// needs: `node .ci/release/desktop-packages.ts [OPTION OF ELECTRON-BUILDER]…`, after `server/build.mjs --desktop`.
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { repositoryRoot } from '../../server/src/kernel/entry.ts';
import { builderOptions, channelOptions, readSigning, writeSigning } from './signing.ts';

const { env, execPath, platform } = process;
const signing = readSigning(env, platform);
writeSigning(repositoryRoot, signing);
process.stdout.write(
  signing.signed ? 'The packages are signed.\n' : `The packages are not signed. ${signing.reason}\n`,
);
const builder = path.join(repositoryRoot, 'node_modules/electron-builder/cli.js');
const options = [...builderOptions(signing, platform), ...channelOptions(env, signing, platform)];
const argv = [builder, '--publish', 'never', ...options, ...process.argv.slice(2)];
// Without a certificate in the environment, none of the machine's keychain is used by chance.
const own = signing.signed ? env : { ...env, CSC_IDENTITY_AUTO_DISCOVERY: 'false' };
process.exitCode = spawnSync(execPath, argv, { cwd: repositoryRoot, env: own, stdio: 'inherit' }).status ?? 1;
