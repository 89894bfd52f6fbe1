import fs from 'node:fs';

/** The processes that any thread of a process has started and that have not ended. Linux. */
export const childrenOf = (pid: number): number[] =>
  fs
    .readdirSync(`/proc/${pid}/task`)
    .flatMap((thread) => fs.readFileSync(`/proc/${pid}/task/${thread}/children`, 'utf8').split(' '))
    .filter((text) => text !== '')
    .map(Number);
