import { readdirSync, readFileSync } from 'node:fs';

/** MiB of a process: resident, which counts pages of the Node program that other processes share, and private. */
export type ProcessMemory = { rss: number; private: number };

export function memoryOf(pid: number): ProcessMemory {
  const text = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8');
  const sizeOf = (name: string): number => Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(text)?.[1]) / 1_024;
  return { rss: sizeOf('Rss'), private: sizeOf('Private_Clean') + sizeOf('Private_Dirty') };
}

/** Returns the process ids of the children whose command line contains a text. */
export const childrenOf = (pid: number, text: string): number[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((child) => {
      try {
        const stat = readFileSync(`/proc/${child}/stat`, 'utf8');
        const [, parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
        return Number(parent) === pid && readFileSync(`/proc/${child}/cmdline`, 'utf8').includes(text);
      } catch {
        // It has ended since the folder was read.
        return false;
      }
    });
