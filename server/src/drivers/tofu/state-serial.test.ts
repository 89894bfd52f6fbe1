import { describe, expect, it } from 'vitest';
import { withSerial } from './state-serial.ts';

describe('withSerial', () => {
  it('replaces only the serial of the state', () => {
    const text = `{
  "version": 4,
  "lineage": "a \\"serial\\": 5 {",
  "outputs": {"serial": {"value": 1.50, "serial": 9}},
  "serial" :\t7 ,
  "resources": [{"serial": 3, "n": 12345678901234567890}]
}
`;
    expect(withSerial(text, 42)).toBe(text.replace('"serial" :\t7 ,', '"serial" :\t42 ,'));
  });

  it('replaces a serial that is first, last or alone', () => {
    expect(withSerial('{"serial":0}', 1)).toBe('{"serial":1}');
    expect(withSerial('{"a":"serial","serial":10}', 9)).toBe('{"a":"serial","serial":9}');
    expect(withSerial('{"serial":1,"b":{}}', 100)).toBe('{"serial":100,"b":{}}');
  });

  it.each(['{}', '[{"serial":1}]', '{"a":{"serial":1}}', '{"serial":"1"}', '{"serial":1.5}', ''])(
    'refuses %s, which has no serial',
    (text) => {
      expect(() => withSerial(text, 2)).toThrow(expect.objectContaining({ code: 'state_unreadable' }));
    },
  );
});
