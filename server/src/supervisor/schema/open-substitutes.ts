import type { SupervisedRun } from '../run.ts';
import { listInstalled } from './installed-providers.ts';
import { findLockedSchemas, readSchemas } from './known-schemas.ts';
import { openSubstituteProviders, type SubstituteProviders } from './substitute-providers.ts';

/**
 * Opens the substitutes of the providers in a lock file, before init has run; undefined when a schema is not known.
 */
export async function openExpected(run: SupervisedRun, lock: string): Promise<SubstituteProviders | undefined> {
  try {
    const known = findLockedSchemas(run, lock);
    return known && (await openSubstituteProviders(run, known));
  } catch {
    // Init reports what is wrong with a lock file.
    return undefined;
  }
}

/**
 * Returns the substitutes of the installed providers: the expected ones when these are exactly the providers, otherwise
 * new ones. Undefined when the hash or the schema of a provider is unknown, so that the tool has to start them.
 */
export async function openInstalled(
  run: SupervisedRun,
  lock: string,
  expected: SubstituteProviders | undefined,
): Promise<SubstituteProviders | undefined> {
  try {
    const installed = listInstalled(run, lock);
    if (installed !== undefined && expected?.settle(installed) === true) return expected;
    expected?.close();
    if (installed === undefined) return undefined;
    const known = await readSchemas(run, installed);
    if (known === undefined) return undefined;
    const substitutes = await openSubstituteProviders(run, known);
    substitutes.settle(installed);
    return substitutes;
  } catch {
    return undefined;
  }
}
