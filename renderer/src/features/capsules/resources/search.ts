/** Shown StateVersion and filters of the resources, as stored in the URL. `module` is empty for the root module. */
export type ResourcesSearch = { state?: string; q?: string; module?: string; address?: string };

const textIn = (value: unknown, most: number): string | undefined =>
  typeof value === 'string' && value.length <= most ? value : undefined;

export const readResourcesSearch = (search: Record<string, unknown>): ResourcesSearch => {
  const state = textIn(search['state'], 64) || undefined;
  const q = textIn(search['q'], 200) || undefined;
  const module = textIn(search['module'], 4_096);
  const address = textIn(search['address'], 4_096) || undefined;
  return {
    ...(state !== undefined && { state }),
    ...(q !== undefined && { q }),
    ...(module !== undefined && { module }),
    ...(address !== undefined && { address }),
  };
};
