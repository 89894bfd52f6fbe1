/** What stands behind a command, already told apart. */
export type Flags = { dataDir?: string; port?: string; host?: string; to?: string; exit: boolean; json?: boolean };
