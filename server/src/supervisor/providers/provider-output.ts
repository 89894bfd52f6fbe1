import type { LaunchedProvider } from './launch-provider.ts';

/** Reason why a provider cannot be used: the end of a sentence, without text of the provider. */
export class ProviderFault extends Error {
  override readonly name = 'ProviderFault';
}

export type ProviderOutput = {
  /** The first line of its standard output; rejects when none is printed in time. */
  firstLine: Promise<string>;
  /** Returns the last lines that it printed to standard error, for example the stack of a crash. */
  tail(): string;
};

/** Seconds until a provider must have printed its address; go-plugin has the same limit. */
const startSeconds = 60;
const lineMaxBytes = 65_536;
const tailMaxBytes = 4_096;

/** Reads both outputs of a provider to their ends, so that it never waits for a reader. */
export function readOutput({ stdout, stderr, exited }: LaunchedProvider): ProviderOutput {
  let tail = Buffer.alloc(0);
  stderr.on('data', (chunk: Buffer) => {
    tail = Buffer.concat([tail, chunk.subarray(-tailMaxBytes)]).subarray(-tailMaxBytes);
  });
  let timer: NodeJS.Timeout | undefined;
  const firstLine = new Promise<string>((resolve, reject) => {
    let text = '';
    stdout.on('data', (chunk: Buffer) => {
      if (text.length > lineMaxBytes) return;
      text += chunk.toString('latin1');
      const end = text.indexOf('\n');
      if (end >= 0) resolve(text.slice(0, end));
    });
    timer = setTimeout(
      () => reject(new ProviderFault(`it printed no address within ${startSeconds} seconds`)),
      startSeconds * 1000,
    );
    void exited.then(() => reject(new ProviderFault('it ended at once')));
  });
  const stop = () => clearTimeout(timer);
  firstLine.then(stop, stop);
  return { firstLine, tail: () => tail.toString('utf8').trim() };
}
