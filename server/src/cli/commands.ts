import { parseArgs } from 'node:util';
import { StartError } from '../index.ts';
import { SettingError } from '../kernel/settings.ts';
import { runDemo } from './demo.ts';
import type { Flags } from './flags.ts';
import { runServe } from './serve.ts';
import { runSignIn } from './sign-in.ts';
import { runTofuInstall } from './tofu-install.ts';

const usage = `Usage: groundctl COMMAND

  serve --data-dir DIR [--port N] [--host ADDRESS]   the headless server; N 0 takes the last port, or any
  demo [--exit]                                      installs a sample module from start to end
  sign-in --data-dir DIR                             prints a one-time sign-in link of a running server
  tofu install --data-dir DIR                        brings the pinned OpenTofu into the data folder
`;

const options = {
  'data-dir': { type: 'string' },
  port: { type: 'string' },
  host: { type: 'string' },
  exit: { type: 'boolean' },
  help: { type: 'boolean' },
} as const;

/** Runs one command; the exit code tells success (0), failure (1) or wrong usage (2). */
export async function run(argv: string[]): Promise<number> {
  try {
    const { values, positionals } = parseArgs({ args: argv, options, allowPositionals: true });
    if (values.help) return say(usage, 0);
    const flags: Flags = {
      exit: values.exit === true,
      ...(values['data-dir'] !== undefined && { dataDir: values['data-dir'] }),
      ...(values.port !== undefined && { port: values.port }),
      ...(values.host !== undefined && { host: values.host }),
    };
    return await dispatch(positionals.join(' '), flags);
  } catch (error) {
    if (error instanceof SettingError || error instanceof StartError) return say(`${error.message}\n`, 1);
    if ((error as NodeJS.ErrnoException).code?.startsWith('ERR_PARSE_ARGS'))
      return say(`${(error as Error).message}\n\n${usage}`, 2);
    throw error;
  }
}

async function dispatch(command: string, flags: Flags): Promise<number> {
  if (command === 'serve') return runServe(flags);
  if (command === 'demo') return runDemo(flags);
  if (command === 'sign-in') return runSignIn(flags);
  if (command === 'tofu install') return runTofuInstall(flags);
  return say(usage, command === '' ? 0 : 2);
}

function say(text: string, code: number): number {
  (code === 0 ? process.stdout : process.stderr).write(text);
  return code;
}
