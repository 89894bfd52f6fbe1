import type { Recipe } from '../recipe.ts';
import { recipeOf, tokenRecipe } from './compose.ts';

/** Code hosts and application hosting services. */
export const codeHosts: Recipe[] = [
  tokenRecipe({
    id: 'github',
    displayName: 'GitHub',
    terraformSource: ['integrations/github', 'hashicorp/github'],
    env: 'GITHUB_TOKEN',
    argument: 'token',
    label: 'Personal access token',
    guide: {
      url: 'https://docs.github.com/en/authentication/keeping-your-account-and-data-secure/managing-your-personal-access-tokens',
      steps: [
        'Under “Settings → Developer settings”, create a fine-grained personal access token.',
        'Choose the repositories and permissions that the module changes, and a day it ends on.',
      ],
    },
  }),
  tokenRecipe({
    id: 'gitlab',
    displayName: 'GitLab',
    terraformSource: ['gitlabhq/gitlab'],
    env: 'GITLAB_TOKEN',
    argument: 'token',
    label: 'Access token',
    guide: {
      url: 'https://docs.gitlab.com/user/profile/personal_access_tokens/',
      steps: [
        'Under “Access tokens” of your profile, group or project, add one with the scope “api”; it is shown once.',
      ],
    },
    more: [
      {
        env: 'GITLAB_BASE_URL',
        label: 'API address of your own GitLab',
        argument: 'base_url',
        placeholder: 'https://gitlab.example/api/v4/',
        plain: true,
        optional: true,
      },
    ],
  }),
  tokenRecipe({
    id: 'vercel',
    displayName: 'Vercel',
    terraformSource: ['vercel/vercel'],
    env: 'VERCEL_API_TOKEN',
    argument: 'api_token',
    guide: {
      url: 'https://vercel.com/account/settings/tokens',
      steps: ['Under “Account Settings → Tokens”, create a token for the team that the module works in.'],
    },
  }),
  recipeOf({ id: 'fly', displayName: 'Fly.io', terraformSource: ['fly-apps/fly'] }, [
    {
      name: 'token',
      displayName: 'Access token',
      guide: {
        url: 'https://fly.io/docs/security/tokens/',
        steps: ['Create one with “fly tokens create”, for one organisation or one application.'],
      },
      fields: [{ env: 'FLY_API_TOKEN', label: 'Access token' }],
    },
  ]),
  recipeOf({ id: 'heroku', displayName: 'Heroku', terraformSource: ['heroku/heroku'] }, [
    {
      name: 'api_key',
      displayName: 'API key',
      guide: {
        url: 'https://devcenter.heroku.com/articles/authentication',
        steps: ['Copy the API key from “Account settings”, or create one with “heroku authorizations:create”.'],
      },
      fields: [
        { env: 'HEROKU_API_KEY', label: 'API key', argument: 'api_key' },
        { env: 'HEROKU_EMAIL', label: 'E-mail of the account', argument: 'email', plain: true, optional: true },
      ],
    },
  ]),
  tokenRecipe({
    id: 'tfe',
    displayName: 'HCP Terraform and Terraform Enterprise',
    terraformSource: ['hashicorp/tfe'],
    env: 'TFE_TOKEN',
    argument: 'token',
    guide: {
      url: 'https://developer.hashicorp.com/terraform/cloud-docs/users-teams-organizations/api-tokens',
      steps: ['Create a team or user token in its settings; it is shown once.'],
    },
    more: [
      {
        env: 'TFE_HOSTNAME',
        label: 'Host of your own installation',
        argument: 'hostname',
        placeholder: 'tfe.example',
        plain: true,
        optional: true,
      },
    ],
  }),
];
