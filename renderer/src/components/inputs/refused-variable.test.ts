import { expect, test } from 'vitest';
import { ApiError } from '../../api/client.ts';
import { refusedVariable } from './refused-variable.ts';

const dependencies = [{ outputs: { vpc: {} } }, { outputs: { zone: {}, more: {} } }];

test.each([
  ['/variables/region', 'region'],
  ['/variablePatch/set/region', 'region'],
  ['/variablePatch/remove/1', 'second'],
  ['/dependencies/1/outputs/more/to', 'more'],
  ['/dependencies/1/producerCapsuleId', 'zone'],
  ['/capsule/name', undefined],
])('names the input at %s', (field, name) => {
  const error = new ApiError(400, { code: 'invalid_argument', message: 'No.', details: { field } });
  const refused = refusedVariable(error, { removed: ['first', 'second'], dependencies });
  expect(refused).toEqual(name === undefined ? undefined : [name, 'No.']);
});
