import type { Recipe } from '../recipe.ts';
import { clouds } from './clouds.ts';
import { codeHosts } from './code-hosts.ts';
import { infrastructure } from './infrastructure.ts';
import { services } from './services.ts';

/** For every provider that has no recipe of its own: variables and files by the names its documentation gives them. */
const generic: Recipe = {
  id: 'generic-env',
  displayName: 'Any other provider',
  terraformSource: '*',
  declaredEnv: {},
  authModes: {
    env: {
      presentation: {
        showInConnectionSetup: true,
        displayName: 'Environment variables',
        description: 'Names and values as the documentation of the provider gives them.',
      },
    },
    file: {
      presentation: {
        showInConnectionSetup: true,
        displayName: 'Files',
        description: 'Files, each with the variable by which the provider learns where it is.',
      },
    },
  },
};

/** Every recipe that comes with the product; the names are those of each provider's own documentation. */
export const builtInRecipes: readonly Recipe[] = [...clouds, ...codeHosts, ...infrastructure, ...services, generic];
