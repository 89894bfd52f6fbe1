import { type AuthMode, envNamesOf, type Material } from './auth-mode.ts';
import { accessTokenName, inputNames, requiredInputs } from './pre-run.ts';

type Problem = { path: string[]; message: string };

/** Returns the parts of the modes of a recipe that refer to a missing part or contradict another, by mode. */
export function findProblems(authModes: Readonly<Record<string, AuthMode>>): [string, Problem][] {
  const rules = [argumentProblems, hintProblems, literalProblems, actionProblems, inputProblems];
  return Object.entries(authModes).flatMap(([name, mode]) =>
    rules.flatMap((findIn) => findIn(mode)).map((problem): [string, Problem] => [name, problem]),
  );
}

function argumentProblems(mode: AuthMode): Problem[] {
  const known = new Set(envNamesOf(mode));
  return Object.entries(mode.providerArguments ?? {}).flatMap(([argument, { from, name }]) =>
    from === 'literal' || (name !== undefined && known.has(name))
      ? []
      : [{ path: ['providerArguments', argument], message: 'Must name a variable of the same mode.' }],
  );
}

function hintProblems({ env = {}, files = {}, preRun, inputHints = {} }: AuthMode): Problem[] {
  const known = new Set([...Object.keys(env), ...Object.keys(files), ...Object.keys(preRun?.inputs ?? {})]);
  return Object.keys(inputHints).flatMap((name) =>
    known.has(name)
      ? []
      : [{ path: ['inputHints', name], message: 'Must name a variable, a file or an input of the same mode.' }],
  );
}

/** Every material of a mode with its path. */
const materialsOf = ({ env = {}, files = {}, providerArguments = {}, preRun }: AuthMode): [string[], Material][] =>
  Object.entries({ env, files, providerArguments, 'preRun/inputs': preRun?.inputs ?? {} }).flatMap(([part, all]) =>
    Object.entries(all).map(([name, material]): [string[], Material] => [[...part.split('/'), name], material]),
  );

const literalProblems = (mode: AuthMode): Problem[] =>
  materialsOf(mode).flatMap(([path, { from, value }]) =>
    (from === 'literal') === (value !== undefined)
      ? []
      : [{ path, message: 'A literal has a value, and nothing else has one.' }],
  );

/** Variables and files whose content is generated for a Run. An argument refers to one of them. */
const generatedIn = ({ env = {}, files = {} }: AuthMode): [string[], Material][] =>
  materialsOf({ env, files }).filter(([, { from }]) => from === 'generated');

function actionProblems(mode: AuthMode): Problem[] {
  const { preRun, runIssuance } = mode;
  const generated = generatedIn(mode);
  if (preRun && runIssuance)
    return [{ path: ['runIssuance'], message: 'A mode has preRun or runIssuance, and not both.' }];
  if (!preRun && !runIssuance)
    return generated.map(([path]) => ({ path, message: 'Generated material needs preRun or runIssuance.' }));
  const part = preRun ? 'preRun' : 'runIssuance';
  if (generated.length === 0)
    return [{ path: [part], message: 'Nothing uses its result. Add a variable or a file that is generated.' }];
  return preRun ? tokenProblems(generated) : storedProblems(mode);
}

const tokenProblems = (generated: readonly [string[], Material][]): Problem[] =>
  generated.flatMap(([path, { name }]) =>
    name === accessTokenName
      ? []
      : [{ path, message: `Generated material of preRun has the name ${accessTokenName}.` }],
  );

const storedProblems = ({ env = {}, files = {} }: AuthMode): Problem[] =>
  materialsOf({ env, files }).flatMap(([path, { from }]) =>
    from === 'generated' || from === 'literal'
      ? []
      : [{ path, message: 'A mode with runIssuance stores nothing: its material is generated or a literal.' }],
  );

function inputProblems({ preRun }: AuthMode): Problem[] {
  if (!preRun) return [];
  const { type, inputs = {} } = preRun;
  const missing = requiredInputs(type).filter((name) => !Object.hasOwn(inputs, name));
  const known = inputNames(type);
  return [
    ...missing.map((name) => ({ path: ['preRun', 'inputs', name], message: `${type} needs this input.` })),
    ...Object.entries(inputs).flatMap(([name, { from }]) => {
      const path = ['preRun', 'inputs', name];
      if (!known.includes(name)) return [{ path, message: `${type} accepts ${known.join(', ')}.` }];
      return from === 'generated' ? [{ path, message: 'An input cannot be generated.' }] : [];
    }),
  ];
}
