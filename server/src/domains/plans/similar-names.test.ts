import { describe, expect, test } from 'vitest';
import { findSimilarNames, similarNamesMessage } from './similar-names.ts';

describe('a name that can be mistaken for another', () => {
  test.each([
    ['mixes two alphabets in one word', ['aws_instance.pr\u043ed']],
    ['contains an invisible character', ['terraform_data.a\u3164']],
    ['contains an empty Braille cell', ['terraform_data.x["a\u2800"]']],
    ['looks like another name of one alphabet', ['terraform_data.coco', 'terraform_data.\u0441\u043e\u0441\u043e']],
    ['looks like another name in its key', ['module.x["ΑΒΕ"].terraform_data.y', 'module.x["ABE"].terraform_data.y']],
    ['is written with letters of another width', ['terraform_data.\uff50\uff52\uff4f\uff44', 'terraform_data.prod']],
  ])('%s is reported', (_, names) => {
    expect(findSimilarNames(names)).toEqual([names.find((name) => /[^ -~]/.test(name))]);
  });

  test.each([
    ['ASCII, however similar', ['terraform_data.a1', 'terraform_data.al']],
    [
      'a single other alphabet',
      ['terraform_data.\u0431\u0430\u0437\u0430', 'terraform_data.本番', 'terraform_data.ελλ'],
    ],
    ['Latin with accents', ['terraform_data.zürich', 'terraform_data.zurich']],
    ['Japanese with Latin', ['terraform_data.本番db']],
    ['the same name twice', ['terraform_data.\u0441\u043e\u0441\u043e', 'terraform_data.\u0441\u043e\u0441\u043e']],
  ])('%s is not reported', (_, names) => {
    expect(findSimilarNames(names)).toEqual([]);
  });

  test('is shown with its code points, the first five of many', () => {
    const names = Array.from({ length: 7 }, (_, at) => `terraform_data.pr\u043ed${at}`);
    expect(similarNamesMessage(names)).toMatch(
      /^Names in this plan can be mistaken for others: terraform_data\.pr\\u\{43e\}d0, .*d4 and 2 more\. /,
    );
    expect(similarNamesMessage(['terraform_data.a'])).toBeUndefined();
  });
});
