import type { Terms } from './terms.ts';

/** Commands that start a server, and the one that says which version it is. */
export const serversTerms = {
  start: {
    does: "serves this account's own data, and opens the browser signed in",
    takes: ['data-dir', 'port', 'host'],
    argNames: [],
    help: '  --data-dir DIR       another folder than that of this account',
  },
  serve: {
    does: 'the headless server',
    takes: ['data-dir', 'port', 'host'],
    argNames: [],
    help: `  --data-dir DIR       the data folder, made when it is missing
  --port N             0 takes the last port, or any
  --host ADDRESS       the address to listen on; 127.0.0.1 by default. Another one needs
                       GROUNDCTL_PUBLIC_URL, and a certificate or a trusted proxy`,
  },
  demo: {
    does: 'installs a sample module from start to end',
    takes: ['data-dir', 'port', 'host', 'exit'],
    argNames: [],
    help: '  --exit               ends after the installation',
  },
  version: {
    does: 'the version of this product, and whether there is a newer one',
    takes: ['check', 'json'],
    argNames: [],
    help: `  --check              fetches the record of the latest release; nothing is installed
  --json               one JSON document`,
  },
} as const satisfies Readonly<Record<string, Terms>>;
