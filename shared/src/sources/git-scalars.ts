import { z } from 'zod';
import { isRelativePath } from '../relative-path.ts';
import { isGitRef } from './git-address.ts';

/*
 * Schemas of Git addresses, separate from the rules: the Git worker needs only the rules, and starts faster and uses
 * less memory without the schema library.
 */

export const GitRef = z
  .string()
  .refine(isGitRef, 'Must be the name of a branch or tag, HEAD, or a full commit id.')
  .meta({ description: 'Branch, tag, HEAD or full commit id' });
export const RelativePath = z
  .string()
  .refine(isRelativePath, 'Must be . or a relative path with / between its names and no . or .. among them.')
  .meta({ description: 'Canonical relative path' });
