import { describe, expect, it } from 'vitest';
import { readFormResourcesSearch } from './search.ts';

describe('readFormResourcesSearch', () => {
  it('reads both filters', () => {
    expect(readFormResourcesSearch({ q: 'desk', status: 'drifted' })).toEqual({ q: 'desk', status: 'drifted' });
  });

  it.each(['broken', 'uninstalled'])('leaves out an empty text and the status %s, which is no filter', (status) => {
    expect(readFormResourcesSearch({ q: '', status })).toEqual({});
  });

  it('shortens a text to what the list accepts', () => {
    expect(readFormResourcesSearch({ q: 'x'.repeat(300) })).toEqual({ q: 'x'.repeat(200) });
  });
});
