import type { en } from '../en/index.ts';
import { shell } from './shell.ts';

export const ja: Record<keyof typeof en, string> = { ...shell };
