/** Parsed options of a command. */
export type Flags = { dataDir?: string; port?: string; host?: string; to?: string; exit: boolean; json?: boolean };
