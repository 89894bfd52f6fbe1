import { describe, expect, test } from 'vitest';
import { CommandError } from './exit-codes.ts';
import { readCommandLine } from './options.ts';
import { commandNames, helpOf, optionTypes, termsOf, usage } from './terms/index.ts';

const refusal = (argv: string[]): string => {
  try {
    readCommandLine(argv);
  } catch (error) {
    if (error instanceof CommandError && error.exitCode === 2) return error.message;
    throw error;
  }
  throw new Error('It was taken.');
};

describe('a command line', () => {
  test('is parsed with its options at any position', () => {
    expect(readCommandLine(['--data-dir', '/d', 'sources', 'sync', 'src_1', '--json'])).toEqual({
      name: 'sources sync',
      args: ['src_1'],
      options: { 'data-dir': '/d', json: true },
      wantsHelp: false,
    });
  });

  test('keeps every --var, also one with an equals sign in its value', () => {
    const { options } = readCommandLine(['install', 'u', '--var', 'a=1', '--var=b=c=d']);
    expect(options.var).toEqual(['a=1', 'b=c=d']);
  });

  test.each([
    [['nothing'], 'There is no command "nothing".'],
    [['runs', '--ref', 'main'], 'groundctl runs does not accept --ref.'],
    [['serve', 'here'], 'groundctl serve does not accept "here".'],
    [['install'], 'groundctl install needs the address of a Git repository.'],
    [['sources', 'sync'], 'groundctl sources sync needs the id or name of a Source.'],
    [['install', 'a', 'b'], 'groundctl install does not accept "b".'],
    [['install', 'a', '--bogus'], "Unknown option '--bogus'"],
    [['install', 'a', '--ref'], "Option '--ref <value>' argument missing"],
  ])('%j is wrong use', (argv, message) => {
    expect(refusal(argv)).toContain(message);
  });

  test.each([[['help', 'install']], [['install', '--help']], [['install', '-h', 'x', 'y']]])(
    '%j asks for help',
    (argv) => {
      expect(readCommandLine(argv)).toMatchObject({ name: 'install', wantsHelp: true });
    },
  );
});

describe('help', () => {
  test('lists every command', () => {
    for (const name of commandNames) expect(usage).toContain(`\n  ${name.split(' ')[0]}`);
  });

  test.each(commandNames.map((name) => [name]))('of %s names every option it takes', (name) => {
    for (const option of termsOf(name).takes.filter((one) => one !== 'port' && one !== 'host' && one !== 'data-dir'))
      expect(helpOf(name)).toContain(`--${option}`);
  });

  test('every option belongs to a command', () => {
    const taken = new Set(commandNames.flatMap((name) => [...termsOf(name).takes]));
    expect(Object.keys(optionTypes).filter((name) => name !== 'help' && !taken.has(name as never))).toEqual([]);
  });
});
