import type { Recipe } from '../recipe.ts';
import { byFiles, byValues, recipeOf, tokenRecipe } from './compose.ts';

const aws: Recipe = {
  id: 'aws',
  displayName: 'Amazon Web Services',
  terraformSource: ['hashicorp/aws'],
  envNames: [
    'AWS_ACCESS_KEY_ID',
    'AWS_SECRET_ACCESS_KEY',
    'AWS_SESSION_TOKEN',
    'AWS_SHARED_CREDENTIALS_FILE',
    'AWS_CONFIG_FILE',
  ],
  requiredEnvGroups: [['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY'], ['AWS_SHARED_CREDENTIALS_FILE']],
  authModes: {
    static: byValues({
      name: 'static',
      displayName: 'Access key',
      description: 'A key of an IAM user, or a temporary one with its session token.',
      guide: {
        url: 'https://docs.aws.amazon.com/IAM/latest/UserGuide/id_credentials_access-keys.html',
        steps: [
          'Open IAM in the AWS console and choose the user that may do what the module does, and no more.',
          'Under “Security credentials”, create an access key and copy both parts: the secret one is shown once.',
          'The session token is only for temporary keys, which come with three parts.',
        ],
      },
      fields: [
        { env: 'AWS_ACCESS_KEY_ID', label: 'Access key ID', argument: 'access_key' },
        { env: 'AWS_SECRET_ACCESS_KEY', label: 'Secret access key', argument: 'secret_key' },
        { env: 'AWS_SESSION_TOKEN', label: 'Session token', argument: 'token', optional: true },
      ],
    }),
    shared_files: byFiles({
      displayName: 'Credentials and config files',
      description: 'The files that the AWS command line keeps in your .aws folder.',
      guide: {
        url: 'https://docs.aws.amazon.com/cli/latest/userguide/cli-configure-files.html',
        steps: [
          'Take the file “credentials” from the folder .aws of your home folder; best one with a single profile.',
          'Add “config” when a profile names a region or a role there. Profiles that start a program do not work here.',
        ],
      },
      files: [
        { path: 'aws/credentials', envName: 'AWS_SHARED_CREDENTIALS_FILE', label: 'Credentials file' },
        { path: 'aws/config', envName: 'AWS_CONFIG_FILE', label: 'Config file', optional: true },
      ],
    }),
  },
};

const google: Recipe = {
  id: 'google',
  displayName: 'Google Cloud',
  terraformSource: ['hashicorp/google', 'hashicorp/google-beta'],
  envNames: ['GOOGLE_APPLICATION_CREDENTIALS'],
  requiredEnvGroups: [['GOOGLE_APPLICATION_CREDENTIALS']],
  authModes: {
    service_account: byFiles({
      displayName: 'Service account key',
      guide: {
        url: 'https://cloud.google.com/iam/docs/keys-create-delete',
        steps: [
          'Open “Service Accounts” in the Google Cloud console and choose the account that may do what the module does.',
          'Under “Keys”, add a key of type JSON. The file is downloaded once; drop it here as it is.',
        ],
      },
      files: [
        {
          path: 'google/key.json',
          envName: 'GOOGLE_APPLICATION_CREDENTIALS',
          label: 'Key file (JSON)',
          argument: 'credentials',
        },
      ],
    }),
  },
};

const azure = recipeOf(
  { id: 'azure', displayName: 'Microsoft Azure', terraformSource: ['hashicorp/azurerm', 'hashicorp/azuread'] },
  [
    {
      name: 'client_secret',
      displayName: 'Service principal with a client secret',
      guide: {
        url: 'https://learn.microsoft.com/en-us/entra/identity-platform/howto-create-service-principal-portal',
        steps: [
          'Register an application in Microsoft Entra ID; its overview shows the client ID and the tenant ID.',
          'Give it a role on the subscription under “Access control (IAM)”.',
          'Under “Certificates & secrets”, create a client secret and copy its value, which is shown once.',
        ],
      },
      fields: [
        { env: 'ARM_CLIENT_ID', label: 'Client ID', argument: 'client_id', plain: true },
        { env: 'ARM_CLIENT_SECRET', label: 'Client secret', argument: 'client_secret' },
        { env: 'ARM_TENANT_ID', label: 'Tenant ID', argument: 'tenant_id', plain: true },
        { env: 'ARM_SUBSCRIPTION_ID', label: 'Subscription ID', argument: 'subscription_id', plain: true },
      ],
    },
  ],
);

const scaleway = recipeOf({ id: 'scaleway', displayName: 'Scaleway', terraformSource: ['scaleway/scaleway'] }, [
  {
    name: 'api_key',
    displayName: 'API key',
    guide: {
      url: 'https://www.scaleway.com/en/docs/iam/how-to/create-api-keys/',
      steps: ['Open “API keys” under IAM in the Scaleway console and generate one; the secret key is shown once.'],
    },
    fields: [
      { env: 'SCW_ACCESS_KEY', label: 'Access key', argument: 'access_key', placeholder: 'SCW…' },
      { env: 'SCW_SECRET_KEY', label: 'Secret key', argument: 'secret_key' },
      { env: 'SCW_DEFAULT_PROJECT_ID', label: 'Project ID', argument: 'project_id', plain: true, optional: true },
    ],
  },
]);

const openstack = recipeOf(
  { id: 'openstack', displayName: 'OpenStack', terraformSource: ['terraform-provider-openstack/openstack'] },
  [
    {
      name: 'application_credential',
      displayName: 'Application credential',
      guide: {
        url: 'https://docs.openstack.org/keystone/latest/user/application_credentials.html',
        steps: ['Create an application credential under “Identity” in the dashboard; its secret is shown once.'],
      },
      fields: [
        {
          env: 'OS_AUTH_URL',
          label: 'Identity address',
          argument: 'auth_url',
          placeholder: 'https://cloud.example:5000/v3',
          plain: true,
        },
        {
          env: 'OS_APPLICATION_CREDENTIAL_ID',
          label: 'Credential ID',
          argument: 'application_credential_id',
          plain: true,
        },
        {
          env: 'OS_APPLICATION_CREDENTIAL_SECRET',
          label: 'Credential secret',
          argument: 'application_credential_secret',
        },
        { env: 'OS_REGION_NAME', label: 'Region', argument: 'region', plain: true, optional: true },
      ],
    },
  ],
);

const proxmox = recipeOf({ id: 'proxmox', displayName: 'Proxmox VE', terraformSource: ['bpg/proxmox'] }, [
  {
    name: 'api_token',
    displayName: 'API token',
    guide: {
      url: 'https://pve.proxmox.com/wiki/User_Management',
      steps: ['Under “Datacenter → Permissions → API Tokens”, add a token; its secret is shown once.'],
    },
    fields: [
      {
        env: 'PROXMOX_VE_ENDPOINT',
        label: 'Address',
        argument: 'endpoint',
        placeholder: 'https://pve.example:8006/',
        plain: true,
      },
      { env: 'PROXMOX_VE_API_TOKEN', label: 'API token', argument: 'api_token', placeholder: 'user@realm!name=secret' },
    ],
  },
]);

export const clouds: Recipe[] = [
  aws,
  google,
  azure,
  tokenRecipe({
    id: 'cloudflare',
    displayName: 'Cloudflare',
    terraformSource: ['cloudflare/cloudflare'],
    env: 'CLOUDFLARE_API_TOKEN',
    argument: 'api_token',
    guide: {
      url: 'https://developers.cloudflare.com/fundamentals/api/get-started/create-token/',
      steps: ['Under “My Profile → API Tokens”, create a token with the permissions and zones that the module needs.'],
    },
  }),
  tokenRecipe({
    id: 'digitalocean',
    displayName: 'DigitalOcean',
    terraformSource: ['digitalocean/digitalocean'],
    env: 'DIGITALOCEAN_TOKEN',
    argument: 'token',
    guide: {
      url: 'https://docs.digitalocean.com/reference/api/create-personal-access-token/',
      steps: ['Under “API” in the control panel, generate a personal access token; it is shown once.'],
    },
  }),
  tokenRecipe({
    id: 'hcloud',
    displayName: 'Hetzner Cloud',
    terraformSource: ['hetznercloud/hcloud'],
    env: 'HCLOUD_TOKEN',
    argument: 'token',
    guide: {
      url: 'https://docs.hetzner.com/cloud/api/getting-started/generating-api-token/',
      steps: ['In the project, open “Security → API tokens” and generate one with read and write; it is shown once.'],
    },
  }),
  tokenRecipe({
    id: 'linode',
    displayName: 'Linode (Akamai)',
    terraformSource: ['linode/linode'],
    env: 'LINODE_TOKEN',
    argument: 'token',
    guide: {
      url: 'https://techdocs.akamai.com/cloud-computing/docs/manage-personal-access-tokens',
      steps: ['Under your profile, open “API Tokens” and create a personal access token; it is shown once.'],
    },
  }),
  tokenRecipe({
    id: 'vultr',
    displayName: 'Vultr',
    terraformSource: ['vultr/vultr'],
    env: 'VULTR_API_KEY',
    argument: 'api_key',
    label: 'API key',
    guide: {
      url: 'https://my.vultr.com/settings/#settingsapi',
      steps: ['Under “Account → API”, enable the API, copy the key, and let in the address this server calls from.'],
    },
  }),
  scaleway,
  openstack,
  proxmox,
];
