import { z } from 'zod';
import { passphraseMinCharacters } from '../limits.ts';

/** Reports whether a new passphrase is long enough. Characters are code points. */
export const isLongPassphrase = (passphrase: string): boolean => [...passphrase].length >= passphraseMinCharacters;

/** Message for a new passphrase that is too short. */
export const shortPassphrase = `A passphrase needs at least ${passphraseMinCharacters} characters. Choose a longer one.`;

/** A passphrase that a person chooses for a key, a backup or a recovery kit. */
export const NewPassphrase = z
  .string()
  .min(passphraseMinCharacters)
  .max(1_024)
  .refine(isLongPassphrase, { message: shortPassphrase });
