import { describe, expect, it } from 'vitest';
import { demandOf } from './permissions.ts';
import { plansApi } from './plans/api.ts';
import { runsApi } from './runs/api.ts';

describe('an OAuth access token', () => {
  it('reads Runs with its scope', () => {
    expect(demandOf(runsApi.getRun, 'oauth')).toEqual({ scopes: ['capsules:read'] });
  });

  it('never reads a plan, which shows values of resources', () => {
    expect(demandOf(plansApi.getRunPlan, 'oauth')).toEqual({ refused: 'forbidden' });
    expect(demandOf(plansApi.getRunPlan, 'pat')).toEqual({ scopes: ['read', 'admin'] });
  });
});
