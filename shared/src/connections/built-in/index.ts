import type { Recipe } from '../recipe.ts';
import { clouds } from './clouds.ts';
import { codeHosts } from './code-hosts.ts';
import { infrastructure } from './infrastructure.ts';
import { services } from './services.ts';

/** Recipe for every provider without its own recipe: variables and files named as in the provider's documentation. */
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

/** Every built-in recipe; the names are those of each provider's documentation. */
export const builtInRecipes: readonly Recipe[] = [...clouds, ...codeHosts, ...infrastructure, ...services, generic];
