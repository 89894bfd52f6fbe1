/** The only location of the vendor word and of every identifier derived from it. */
export const vendor = 'svc';
export const productName = 'Ground Control';
export const apiVersion = `${vendor}.dev/v1alpha1`;
export const apiPrefix = '/api/v1';
export const sessionHeader = `x-${vendor}-account-session`;
export const sessionCookie = `${vendor}_session`;
export const tokenPrefixes = {
  session: 'sess_',
  pat: `${vendor}pat_`,
  operator: `${vendor}op_`,
  hook: `${vendor}hook_`,
  invitation: `${vendor}inv_`,
  access: `${vendor}at_`,
  refresh: `${vendor}rt_`,
  interface: `${vendor}srv_`,
} as const;
/** Replaces a sensitive value in a plan. */
export const sensitiveMark = { [`$${vendor}`]: 'sensitive' } as const;
/** Stands for a value that is known after the apply, where a plan is compared. */
export const unknownMark = { [`$${vendor}`]: 'unknown' } as const;
/** The repository manifest, read at the root of a repository. */
export const manifestPath = `.well-known/${vendor}.json`;
/** Value of `apiVersion` in a source-options document. */
export const sourceOptionsVersion = `install.${vendor}/v1alpha1`;
/** Scheme of the URL of an installable copy, which only the server makes. */
export const copyScheme = `${vendor}-copy:`;
/** Returns the value of `apiVersion` in a manifest of a version, such as `v2.1`. */
export const manifestApiVersion = <const Version extends string>(version: Version) => `${vendor}/${version}` as const;
/** The form host protocol, which other products host too: its version, and the path of its routes. */
export const formHostVersion = 'forms.formhost/v1alpha1';
export const formHostPath = `/apis/${formHostVersion}` as const;
/** Path of the routes for clients that name no form. */
export const formCompatibilityPath = '/v1';
/** Discovery document of the form host. */
export const formDiscoveryPath = '/.well-known/formhost';
