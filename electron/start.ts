import path from 'node:path';
import { tryDesktop } from './src/try-desktop.ts';

// `npm start`: the desktop where it is available, else the dashboard in the browser.
const root = path.resolve(import.meta.dirname, '..');
const { argv, env, platform } = process;
const args = argv.slice(2).filter((arg) => arg !== '--browser');
const wantsBrowser = args.length < argv.length - 2;
const isRoot = process.getuid?.() === 0;

const attempt = wantsBrowser ? { refusal: '' } : await tryDesktop({ root, env, platform, isRoot });
if ('code' in attempt) process.exitCode = attempt.code;
else {
  if (attempt.refusal) process.stdout.write(`${attempt.refusal} The dashboard is served to the browser instead.\n`);
  // In this process, so that Ctrl-C and the exit code are those of the server.
  process.argv.splice(2, argv.length, 'start', ...args);
  await import(path.join(root, 'dist/server/groundctl.js'));
}
