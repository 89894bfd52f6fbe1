import { describe, expect, it } from 'vitest';
import { replaceSection } from './doc-section.ts';

const page = '# Page\n\n<!-- figures -->\nold\n<!-- /figures -->\n\nRest\n';

describe('a generated section', () => {
  it('is replaced between its markers, and the rest of the page is not changed', () => {
    const replaced = replaceSection(page, 'figures', '| new |\n');
    expect(replaced).toBe('# Page\n\n<!-- figures -->\n\n| new |\n\n<!-- /figures -->\n\nRest\n');
    expect(replaceSection(replaced, 'figures', '| new |')).toBe(replaced);
  });

  it('is not written to a page without its markers', () => {
    expect(() => replaceSection(page, 'profile', 'x')).toThrow('no section profile');
  });
});
