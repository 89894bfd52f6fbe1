import type { Secret } from '#server/kernel/secret';
import type { Material } from '#shared/connections/auth-mode';
import type { ScopeHints } from '#shared/connections/contract';

/** Name under which the value of an input is submitted. */
export const submittedName = (name: string, material: Material): string => material.name ?? name;

type Stored = { scopeHints: ScopeHints | null };

/**
 * Returns the value of an input of `preRun`: a literal of the recipe, a stored value, or for one that is not secret the
 * member of `providerSettings` with its name. Undefined when it has none.
 */
export function inputText(
  name: string,
  material: Material,
  { scopeHints }: Stored,
  { env }: { env: ReadonlyMap<string, Secret> },
): string | undefined {
  if (material.from === 'literal') return material.value;
  const key = submittedName(name, material);
  const stored = env.get(key)?.reveal();
  if (stored !== undefined || material.from !== 'value') return stored;
  return settingText(scopeHints, key);
}

/** Returns a member of `providerSettings` that is a text. */
export function settingText(hints: ScopeHints | null | undefined, name: string): string | undefined {
  const settings = hints?.providerSettings ?? {};
  const setting = Object.hasOwn(settings, name) ? settings[name] : undefined;
  return typeof setting === 'string' && setting !== '' ? setting : undefined;
}
