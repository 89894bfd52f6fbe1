import { invalidArgument } from '#server/kernel/errors';
import { type AuthMode, envNamesOf } from '#shared/connections/auth-mode';
import { gitTokenKind, gitTokenName, gitUserName } from '#shared/connections/contract';
import { moduleRegistryKind } from '#shared/connections/module-registry';
import { objectStorageKind } from '#shared/connections/object-storage';
import { requiredInputs } from '#shared/connections/pre-run';
import { recipeFits } from '#shared/connections/provider-source';
import type { Recipe } from '#shared/connections/recipe';
import { isContainer, type Json } from '#shared/kernel/json';
import { canonicalSource } from '#shared/kernel/provider-source';
import { findSecretLikeKey, isSecretLike } from '#shared/secret-like';
import { type GitUrlRules, parseGitUrl } from '#shared/sources/git-address';
import type { CheckedConnection, CheckedParts } from './checked-connection.ts';
import { settingText, submittedName } from './inputs.ts';
import { checkModuleRegistry } from './module-registry.ts';
import { checkGroups, type NamedMaterial, type NewMaterial, nameMaterial, pointer } from './new-material.ts';
import { checkObjectStorage } from './object-storage.ts';

type Rules = {
  findRecipe: (id: string) => Recipe | undefined;
  gitRules: GitUrlRules;
  /** Reports whether a credential service issues the credentials of a recipe. */
  hasService: (recipeId: string) => boolean;
  /** The Connection is of the operator. */
  isOperator: boolean;
};

/** Validates a request against every rule of Connections. Throws 400 `invalid_argument`; no message contains a value. */
export function checkConnection(input: CheckedParts, rules: Rules): CheckedConnection {
  const checked = checkKind(input, rules);
  checkPlainParts(input, checked.materials);
  return checked;
}

function checkKind(input: CheckedParts, rules: Rules): CheckedConnection {
  if (input.kind === undefined) return checkProvider(input, rules);
  if (input.kind === moduleRegistryKind) return checkModuleRegistry(input);
  return input.kind === objectStorageKind ? checkObjectStorage(input, rules.gitRules) : checkGit(input, rules);
}

function checkProvider(input: CheckedParts, rules: Rules): CheckedConnection {
  const { recipe, authMode, mode, providerSource } = chooseMode(input, rules);
  const declares = recipe.declaredEnv !== undefined && mode.runIssuance === undefined;
  const named = nameMaterial(input, { mode, modeName: authMode, declares });
  checkInputs(input, mode, rules.gitRules);
  const known = new Set(envNamesOf(mode));
  const requiredEnvGroups = (recipe.requiredEnvGroups ?? []).filter((group) => group.every((name) => known.has(name)));
  checkGroups(requiredEnvGroups, named);
  return {
    provider: input.provider,
    providerSource,
    kind: null,
    recipe: {
      id: recipe.id,
      authMode,
      terraformSource: recipe.terraformSource,
      requiredEnvGroups,
      mode,
      ...(recipe.declaredEnv !== undefined && { declaredEnv: named.declaredEnv }),
    },
    secretPartition: input.credentialRecipe?.secretPartition ?? recipe.secretPartition ?? null,
    ...partsOf(named),
  };
}

/** Returns the requested recipe, when it supports the provider, and its sign-in mode, when this server supports it. */
function chooseMode({ credentialRecipe: requested, provider }: CheckedParts, rules: Rules) {
  const recipe = requested && rules.findRecipe(requested.id);
  if (!requested || !recipe)
    throw invalidArgument(
      'recipe_unknown',
      'Name a recipe of the list, or a kind for a Git repository or object storage.',
      {
        field: requested ? '/credentialRecipe/id' : '/credentialRecipe',
      },
    );
  const providerSource = canonicalSource(provider);
  if (providerSource === undefined || !recipeFits(recipe, providerSource))
    throw invalidArgument(
      'recipe_unknown',
      'The recipe does not support this provider. Choose one that does, or generic-env.',
      { field: '/provider' },
    );
  const { authMode } = requested;
  const mode = Object.hasOwn(recipe.authModes, authMode) ? recipe.authModes[authMode] : undefined;
  const findRefusal = ({ runIssuance }: AuthMode) => (runIssuance ? findIssuanceRefusal(recipe.id, rules) : undefined);
  const allowed = Object.entries(recipe.authModes).flatMap(([name, one]) => (findRefusal(one) ? [] : [name]));
  const details = { field: '/credentialRecipe/authMode', allowed };
  if (!mode)
    throw invalidArgument(
      'auth_mode_unknown',
      'The recipe does not have this way to sign in. Choose one that it lists.',
      details,
    );
  const why = findRefusal(mode);
  if (why) throw invalidArgument('auth_mode_unknown', why, details);
  return { recipe, authMode, mode, providerSource };
}

/** Returns the reason why no credentials can be issued to the Runs of this Connection. */
function findIssuanceRefusal(recipeId: string, { hasService, isOperator }: Rules): string | undefined {
  if (!hasService(recipeId))
    return 'This way to sign in needs a credential service, and the operator has configured none for the recipe.';
  if (isOperator) return undefined;
  return 'Only the operator creates Connections for this way to sign in. Bind one that the operator created.';
}

/** Requires the inputs that `preRun` needs, and a token address that a Run may send them to. */
function checkInputs({ values, scopeHints }: CheckedParts, { preRun }: AuthMode, gitRules: GitUrlRules): void {
  if (!preRun) return;
  const { type, inputs = {} } = preRun;
  const textOf = (name: string): string | undefined => {
    const material = inputs[name];
    if (!material) return undefined;
    if (material.from === 'literal') return material.value;
    const key = submittedName(name, material);
    return values[key] ?? (material.from === 'value' ? settingText(scopeHints, key) : undefined);
  };
  const fieldOf = (name: string) => pointer('values', submittedName(name, inputs[name] ?? { from: 'value' }));
  const missing = requiredInputs(type).filter((name) => textOf(name) === undefined);
  if (missing[0] !== undefined)
    throw invalidArgument('connection_material_missing', 'An input of the token request is missing. Fill it in.', {
      field: fieldOf(missing[0]),
      missing,
    });
  const address = parseGitUrl(textOf('token_url') ?? '', { ...gitRules, allowLocal: false });
  if (!address.ok)
    throw invalidArgument(
      address.reason,
      'The token address must be a plain https address of a host that may be reached.',
      {
        field: fieldOf('token_url'),
      },
    );
}

const partsOf = ({ envNames, files, materials }: NamedMaterial) => ({ envNames, files, materials });

const ssh = () =>
  invalidArgument(
    'git_ssh_not_supported',
    'Repositories are read over https. Use an access token instead of an SSH key.',
    {
      field: '/kind',
    },
  );
/** Basic authentication sends both as one text that ends the name at its first colon. */
const plainName = /^[\x21-\x39\x3b-\x7e]{1,256}$/;
const plainToken = /^[\x20-\x7e]+$/;

function checkGit(input: CheckedParts, { gitRules }: Rules): CheckedConnection {
  const { [gitTokenName]: token = '', [gitUserName]: user } = input.values;
  if (input.kind !== gitTokenKind || /-----BEGIN [A-Z ]*PRIVATE KEY/.test(Object.values(input.values).join('\n')))
    throw ssh();
  if (input.credentialRecipe)
    throw invalidArgument('recipe_unknown', 'A token for Git repositories does not accept a recipe. Leave it out.', {
      field: '/credentialRecipe',
    });
  const named = nameMaterial(input, {
    mode: { env: { [gitTokenName]: { from: 'secret' }, [gitUserName]: { from: 'value' } } },
    modeName: 'token',
    declares: false,
  });
  if (!plainToken.test(token) || (user !== undefined && !plainName.test(user)))
    throw invalidArgument(
      'connection_material_missing',
      'A token and a user name are plain text of one line; the name has no colon.',
      {
        field: plainToken.test(token) ? `/values/${gitUserName}` : `/values/${gitTokenName}`,
      },
    );
  const url = input.scopeHints?.providerConfig?.['url'];
  if (url !== undefined) checkGitUrl(url, gitRules);
  return {
    provider: 'git',
    providerSource: 'git',
    kind: gitTokenKind,
    recipe: null,
    secretPartition: null,
    ...partsOf(named),
  };
}

function checkGitUrl(url: unknown, rules: GitUrlRules): void {
  const parsed = parseGitUrl(typeof url === 'string' ? url : '', rules);
  if (!parsed.ok) throw invalidArgument(parsed.reason, parsed.message, { field: '/scopeHints/providerConfig/url' });
}

/** Requires that readable fields contain no secret: nothing that looks like one, and nothing of the sealed values. */
function checkPlainParts(
  { displayName = '', provider, scopeHints = {} }: CheckedParts,
  materials: readonly NewMaterial[],
): void {
  const refuse = (field: string, why: string) => invalidArgument('secret_like_value', why, { field });
  const hints = scopeHints as Json;
  const key = findSecretLikeKey(hints);
  if (key)
    throw refuse(`/scopeHints${pointer(...key)}`, 'A hint is named like a credential. Give it as a value instead.');
  const secrets = materials
    .filter(({ text, isPlain }) => !isPlain && text.length >= shortestSecret)
    .map(({ text }) => text);
  const isSecret = (text: string) => isSecretLike(text) || secrets.some((secret) => text.includes(secret));
  const texts: [string, string][] = [
    ['/displayName', displayName],
    ['/provider', provider],
    ...leavesOf(hints, '/scopeHints'),
  ];
  const match = texts.find(([, text]) => isSecret(text));
  if (match)
    throw refuse(match[0], 'This field is readable and contains something that looks like a credential. Remove it.');
}

/** Shorter values appear in many texts by chance. */
const shortestSecret = 8;

/** Every string in a JSON value with its JSON Pointer. */
function leavesOf(value: Json, jsonPointer: string): [string, string][] {
  if (typeof value === 'string') return [[jsonPointer, value]];
  if (!isContainer(value)) return [];
  return Object.entries(value).flatMap(([key, child]): [string, string][] => [
    [jsonPointer + pointer(key), key],
    ...leavesOf(child as Json, jsonPointer + pointer(key)),
  ]);
}
