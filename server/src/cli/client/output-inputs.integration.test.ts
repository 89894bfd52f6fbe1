import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { CapsuleRow } from '#server/domains/capsules/index';
import { startTestServer, type TestServer } from '../../../test/harness.ts';
import { seedCapsule, seedState } from '../../../test/ledger-rows.ts';
import { findDependencies, readOutputInputs } from './output-inputs.ts';
import { readTypedValues } from './values.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.close());

const read = (...texts: string[]) => readOutputInputs(texts, readTypedValues({ var: ['region=eu'] }));

describe('--input', () => {
  test('names a variable, a Capsule and an Output; only the last dot separates', () => {
    expect(read('vpc=My network 2.0.id')).toEqual([{ variable: 'vpc', capsule: 'My network 2.0', output: 'id' }]);
  });

  test.each([
    ['vpc', 'takes NAME=CAPSULE.OUTPUT'],
    ['vpc=network', 'takes NAME=CAPSULE.OUTPUT'],
    ['1=network.id', 'takes NAME=CAPSULE.OUTPUT'],
    ['vpc=network.1', 'takes NAME=CAPSULE.OUTPUT'],
    ['region=network.id', 'another option both set "region"'],
  ])('%s is wrong use', (text, message) => {
    expect(() => read(text)).toThrow(message);
  });

  test('sets a variable once', () => {
    expect(() => read('vpc=network.id', 'vpc=other.id')).toThrow('--input names "vpc" twice');
  });

  describe('finds the Capsule', () => {
    const find = (...texts: string[]) => findDependencies(server, server.workspaceId, read(...texts));
    const applied = async (more: Partial<CapsuleRow>): Promise<CapsuleRow> => {
      const capsule = await seedCapsule(server, more);
      seedState(server, capsule, { generation: 1, outputs: { id: 'vpc-1' } });
      return capsule;
    };

    test('by name or id, with one Dependency for all its Outputs', async () => {
      const { id } = await applied({ name: 'network' });
      await applied({ name: 'network two' });
      expect(await find('vpc=network.id', `zone=${id}.zone`)).toEqual([
        {
          producerCapsuleId: id,
          outputs: {
            vpc: { from: 'id', to: 'vpc', required: true },
            zone: { from: 'zone', to: 'zone', required: true },
          },
        },
      ]);
    });

    test('of another Workspace by its id alone', async () => {
      const id = `cap_${'0'.repeat(26)}`;
      expect(await find(`vpc=${id}.id`)).toMatchObject([{ producerCapsuleId: id }]);
    });

    test('or says why not', async () => {
      await expect(find('vpc=nowhere.id')).rejects.toThrow('There is no Capsule "nowhere"');
      await seedCapsule(server, { name: 'fresh' });
      await expect(find('vpc=fresh.id')).rejects.toThrow('"fresh" was never applied');
      const gone = await seedCapsule(server, { name: 'gone' });
      server.ledger(({ sqlite }) =>
        sqlite.prepare("UPDATE capsules SET status = 'destroyed' WHERE id = ?").run(gone.id),
      );
      await expect(find('vpc=gone.id')).rejects.toThrow('There is no Capsule "gone"');
      const [one, two] = [await applied({ name: 'twin' }), await applied({ name: 'twin', environment: 'live' })];
      await expect(find('vpc=twin.id')).rejects.toThrow(
        `2 Capsules are called "twin". Name one by its id: ${two.id} (live), ${one.id} (test).`,
      );
    });
  });
});
