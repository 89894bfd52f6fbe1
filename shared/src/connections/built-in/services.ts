import type { Recipe } from '../recipe.ts';
import { recipeOf, tokenRecipe } from './compose.ts';

const datadog = recipeOf({ id: 'datadog', displayName: 'Datadog', terraformSource: ['datadog/datadog'] }, [
  {
    name: 'keys',
    displayName: 'API and application key',
    guide: {
      url: 'https://docs.datadoghq.com/account_management/api-app-keys/',
      steps: ['Under “Organization Settings”, create an API key and an application key.'],
    },
    fields: [
      { env: 'DD_API_KEY', label: 'API key', argument: 'api_key' },
      { env: 'DD_APP_KEY', label: 'Application key', argument: 'app_key' },
      {
        env: 'DD_HOST',
        label: 'API address of your site',
        argument: 'api_url',
        placeholder: 'https://api.datadoghq.eu/',
        plain: true,
        optional: true,
      },
    ],
  },
]);

const grafana = recipeOf({ id: 'grafana', displayName: 'Grafana', terraformSource: ['grafana/grafana'] }, [
  {
    name: 'token',
    displayName: 'Service account token',
    guide: {
      url: 'https://grafana.com/docs/grafana/latest/administration/service-accounts/',
      steps: ['Under “Administration → Service accounts”, add an account and a token to it; the token is shown once.'],
    },
    fields: [
      { env: 'GRAFANA_URL', label: 'Address', argument: 'url', placeholder: 'https://grafana.example/', plain: true },
      { env: 'GRAFANA_AUTH', label: 'Token', argument: 'auth' },
    ],
  },
]);

const newRelic = recipeOf({ id: 'newrelic', displayName: 'New Relic', terraformSource: ['newrelic/newrelic'] }, [
  {
    name: 'user_key',
    displayName: 'User key',
    guide: {
      url: 'https://docs.newrelic.com/docs/apis/intro-apis/new-relic-api-keys/',
      steps: ['Under “API keys”, create a key of type “User”. The account ID stands beside it.'],
    },
    fields: [
      { env: 'NEW_RELIC_ACCOUNT_ID', label: 'Account ID', argument: 'account_id', plain: true },
      { env: 'NEW_RELIC_API_KEY', label: 'User key', argument: 'api_key', placeholder: 'NRAK-…' },
      {
        env: 'NEW_RELIC_REGION',
        label: 'Region',
        argument: 'region',
        placeholder: 'US or EU',
        plain: true,
        optional: true,
      },
    ],
  },
]);

const okta = recipeOf({ id: 'okta', displayName: 'Okta', terraformSource: ['okta/okta'] }, [
  {
    name: 'token',
    displayName: 'API token',
    guide: {
      url: 'https://developer.okta.com/docs/guides/create-an-api-token/',
      steps: ['Under “Security → API → Tokens”, create a token; it has the rights of the account that creates it.'],
    },
    fields: [
      { env: 'OKTA_ORG_NAME', label: 'Organisation', argument: 'org_name', placeholder: 'acme', plain: true },
      { env: 'OKTA_BASE_URL', label: 'Domain', argument: 'base_url', placeholder: 'okta.com', plain: true },
      { env: 'OKTA_API_TOKEN', label: 'API token', argument: 'api_token' },
    ],
  },
]);

const auth0 = recipeOf({ id: 'auth0', displayName: 'Auth0', terraformSource: ['auth0/auth0'] }, [
  {
    name: 'client_secret',
    displayName: 'Machine-to-machine application',
    guide: {
      url: 'https://auth0.com/docs/get-started/auth0-overview/create-applications/machine-to-machine-apps',
      steps: ['Create a machine-to-machine application for the Management API and copy what its settings show.'],
    },
    fields: [
      { env: 'AUTH0_DOMAIN', label: 'Domain', argument: 'domain', placeholder: 'acme.eu.auth0.com', plain: true },
      { env: 'AUTH0_CLIENT_ID', label: 'Client ID', argument: 'client_id', plain: true },
      { env: 'AUTH0_CLIENT_SECRET', label: 'Client secret', argument: 'client_secret' },
    ],
  },
]);

const tailscale = recipeOf({ id: 'tailscale', displayName: 'Tailscale', terraformSource: ['tailscale/tailscale'] }, [
  {
    name: 'api_key',
    displayName: 'API access token',
    guide: {
      url: 'https://tailscale.com/kb/1101/api',
      steps: ['Under “Settings → Keys” of the admin console, generate an access token; it is shown once.'],
    },
    fields: [
      { env: 'TAILSCALE_API_KEY', label: 'Access token', argument: 'api_key', placeholder: 'tskey-api-…' },
      { env: 'TAILSCALE_TAILNET', label: 'Tailnet', argument: 'tailnet', plain: true, optional: true },
    ],
  },
]);

const dnsimple = recipeOf({ id: 'dnsimple', displayName: 'DNSimple', terraformSource: ['dnsimple/dnsimple'] }, [
  {
    name: 'token',
    displayName: 'API token',
    guide: {
      url: 'https://support.dnsimple.com/articles/api-access-token/',
      steps: ['Under “Account → Access tokens”, add a token. The account is the number in the address of the page.'],
    },
    fields: [
      { env: 'DNSIMPLE_ACCOUNT', label: 'Account', argument: 'account', plain: true },
      { env: 'DNSIMPLE_TOKEN', label: 'API token', argument: 'token' },
    ],
  },
]);

/** Monitoring, identity and the network. */
export const services: Recipe[] = [
  datadog,
  grafana,
  newRelic,
  tokenRecipe({
    id: 'pagerduty',
    displayName: 'PagerDuty',
    terraformSource: ['pagerduty/pagerduty'],
    env: 'PAGERDUTY_TOKEN',
    argument: 'token',
    label: 'REST API key',
    guide: {
      url: 'https://support.pagerduty.com/main/docs/api-access-keys',
      steps: ['Under “Integrations → API Access Keys”, create a key; it is shown once.'],
    },
  }),
  tokenRecipe({
    id: 'sentry',
    displayName: 'Sentry',
    terraformSource: ['jianyuan/sentry'],
    env: 'SENTRY_AUTH_TOKEN',
    argument: 'token',
    label: 'Auth token',
    guide: {
      url: 'https://docs.sentry.io/account/auth-tokens/',
      steps: ['Create an internal integration or a personal token with the scopes that the module needs.'],
    },
  }),
  okta,
  auth0,
  tailscale,
  dnsimple,
  tokenRecipe({
    id: 'fastly',
    displayName: 'Fastly',
    terraformSource: ['fastly/fastly'],
    env: 'FASTLY_API_KEY',
    argument: 'api_key',
    guide: {
      url: 'https://docs.fastly.com/en/guides/using-api-tokens',
      steps: ['Under “Account → API tokens”, create a token for the services that the module changes.'],
    },
  }),
];
