import { hasDisplay } from '#shared/display';
import { spawnDetached } from '../runner/index.ts';

type BrowserHost = { env: NodeJS.ProcessEnv; platform: NodeJS.Platform };

/** Program of each system that opens an address, started without a shell. */
const openers: Readonly<Partial<Record<NodeJS.Platform, readonly string[]>>> = {
  darwin: ['/usr/bin/open'],
  win32: ['rundll32.exe', 'url.dll,FileProtocolHandler'],
};

/** Opens an address in the person's browser. Returns false when there is no browser or it cannot be started. */
export async function openBrowser(address: string, { env, platform }: BrowserHost): Promise<boolean> {
  if (!hasDisplay(env, platform)) return false;
  const [file = '', ...argv] = openers[platform] ?? ['xdg-open'];
  const definedEnv = Object.fromEntries(
    Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
  try {
    const child = await spawnDetached({
      file,
      argv: [...argv, address],
      env: definedEnv,
      stdio: ['ignore', 'ignore', 'ignore'],
    });
    child.unref();
    return true;
  } catch {
    return false;
  }
}
