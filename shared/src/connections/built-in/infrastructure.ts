import type { Recipe } from '../recipe.ts';
import { byFiles, byValues, recipeOf } from './compose.ts';

const kubernetes: Recipe = {
  id: 'kubernetes',
  displayName: 'Kubernetes and Helm',
  terraformSource: ['hashicorp/kubernetes', 'hashicorp/helm'],
  envNames: ['KUBE_CONFIG_PATH', 'KUBE_HOST', 'KUBE_TOKEN', 'KUBE_CLUSTER_CA_CERT_DATA'],
  requiredEnvGroups: [['KUBE_CONFIG_PATH'], ['KUBE_HOST', 'KUBE_TOKEN']],
  authModes: {
    kubeconfig: byFiles({
      displayName: 'Kubeconfig file',
      description:
        'With certificates and tokens in the file itself; a config that starts a program to sign in does not work here.',
      guide: {
        url: 'https://kubernetes.io/docs/concepts/configuration/organize-cluster-access-kubeconfig/',
        steps: [
          'Print one whole cluster with “kubectl config view --minify --flatten --raw” and drop the result here.',
        ],
      },
      files: [{ path: 'kubernetes/kubeconfig.yaml', envName: 'KUBE_CONFIG_PATH', label: 'Kubeconfig' }],
    }),
    token: byValues({
      name: 'token',
      displayName: 'Service account token',
      guide: {
        url: 'https://kubernetes.io/docs/reference/access-authn-authz/service-accounts-admin/',
        steps: ['Create a service account with the rights that the module needs and a token for it.'],
      },
      fields: [
        {
          env: 'KUBE_HOST',
          label: 'Address of the API server',
          argument: 'host',
          placeholder: 'https://10.0.0.1:6443',
          plain: true,
        },
        { env: 'KUBE_TOKEN', label: 'Token', argument: 'token' },
        {
          env: 'KUBE_CLUSTER_CA_CERT_DATA',
          label: 'CA certificate (PEM)',
          argument: 'cluster_ca_certificate',
          plain: true,
          optional: true,
        },
      ],
    }),
  },
};

const postgresql = recipeOf({ id: 'postgresql', displayName: 'PostgreSQL', terraformSource: ['cyrilgdn/postgresql'] }, [
  {
    name: 'password',
    displayName: 'User and password',
    guide: {
      url: 'https://www.postgresql.org/docs/current/libpq-envars.html',
      steps: ['Make a role that owns what the module creates, and no superuser unless it needs one.'],
    },
    fields: [
      { env: 'PGHOST', label: 'Host', argument: 'host', placeholder: 'db.example', plain: true },
      { env: 'PGUSER', label: 'User', argument: 'username', plain: true },
      { env: 'PGPASSWORD', label: 'Password', argument: 'password' },
      { env: 'PGPORT', label: 'Port', argument: 'port', placeholder: '5432', plain: true, optional: true },
      {
        env: 'PGDATABASE',
        label: 'Database',
        argument: 'database',
        placeholder: 'postgres',
        plain: true,
        optional: true,
      },
      {
        env: 'PGSSLMODE',
        label: 'TLS mode',
        argument: 'sslmode',
        placeholder: 'verify-full',
        plain: true,
        optional: true,
      },
    ],
  },
]);

const mysql = recipeOf({ id: 'mysql', displayName: 'MySQL and MariaDB', terraformSource: ['petoju/mysql'] }, [
  {
    name: 'password',
    displayName: 'User and password',
    guide: {
      url: 'https://dev.mysql.com/doc/refman/8.4/en/create-user.html',
      steps: ['Make a user with the grants that the module needs.'],
    },
    fields: [
      {
        env: 'MYSQL_ENDPOINT',
        label: 'Host and port',
        argument: 'endpoint',
        placeholder: 'db.example:3306',
        plain: true,
      },
      { env: 'MYSQL_USERNAME', label: 'User', argument: 'username', plain: true },
      { env: 'MYSQL_PASSWORD', label: 'Password', argument: 'password' },
    ],
  },
]);

const vault = recipeOf({ id: 'vault', displayName: 'Vault and OpenBao', terraformSource: ['hashicorp/vault'] }, [
  {
    name: 'token',
    displayName: 'Token',
    guide: {
      url: 'https://openbao.org/docs/concepts/tokens/',
      steps: ['Create a token with the policies that the module needs and a time to live that covers a Run.'],
    },
    fields: [
      {
        env: 'VAULT_ADDR',
        label: 'Address',
        argument: 'address',
        placeholder: 'https://vault.example:8200',
        plain: true,
      },
      { env: 'VAULT_TOKEN', label: 'Token', argument: 'token' },
      { env: 'VAULT_NAMESPACE', label: 'Namespace', argument: 'namespace', plain: true, optional: true },
    ],
  },
]);

const consul = recipeOf({ id: 'consul', displayName: 'Consul', terraformSource: ['hashicorp/consul'] }, [
  {
    name: 'token',
    displayName: 'ACL token',
    guide: {
      url: 'https://developer.hashicorp.com/consul/docs/security/acl/tokens',
      steps: ['Create a token with the policies that the module needs.'],
    },
    fields: [
      {
        env: 'CONSUL_HTTP_ADDR',
        label: 'Address',
        argument: 'address',
        placeholder: 'consul.example:8500',
        plain: true,
      },
      { env: 'CONSUL_HTTP_TOKEN', label: 'Token', argument: 'token' },
    ],
  },
]);

/** Clusters, databases and secret stores. */
export const infrastructure: Recipe[] = [kubernetes, postgresql, mysql, vault, consul];
