import { shell } from './shell.ts';

/** Every sentence of the dashboard. A Japanese one that is missing does not compile. */
export const en = { ...shell } as const;
