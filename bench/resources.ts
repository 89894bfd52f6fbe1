import { createStateVersionsService } from '../server/src/domains/state-versions/service.ts';
import { systemClock } from '../server/src/kernel/clock.ts';
import { openDb } from '../server/src/kernel/db.ts';
import { newId } from '../server/src/kernel/ids.ts';
import { createOutbox } from '../server/src/kernel/outbox.ts';
import { createCursors } from '../server/src/kernel/page.ts';
import { startTestServer, type TestServer } from '../server/test/harness.ts';
import { seedCapsule } from '../server/test/ledger-rows.ts';
import { openTestVault, seedRealState, stateText } from '../server/test/state-fixture.ts';
import { type CaseResult, compare, timed } from './median.ts';

/** The second has a hundredth of the resources, and the fewest generations that can be compared. */
const sizes = { large: { resources: 5_000, generations: 100 }, small: { resources: 50, generations: 2 } } as const;
type Size = (typeof sizes)[keyof typeof sizes];

/** A state with some 3 KB of attributes in each resource; one in a hundred differs from generation to generation. */
const textOf = ({ resources }: Size, generation: number): string =>
  stateText(
    Array.from({ length: resources }, (_, index) => ({
      name: 'web',
      key: index,
      ...(index % 10 > 0 && { module: `module.part[${index % 10}]` }),
      attributes: {
        id: `web-${index}`,
        revision: index % 100 === generation % 100 ? generation : 0,
        password: `secret-${index}-of-${generation}`,
        tags: Object.fromEntries(
          Array.from({ length: 20 }, (_unused, tag) => [`tag-${tag}`, `value ${tag} of ${index}`]),
        ),
        rules: Array.from({ length: 20 }, (_unused, rule) => ({
          port: rule,
          from: '10.0.0.0/8',
          note: `rule ${rule}`,
        })),
      },
      sensitive: [['password']],
    })),
  );

type Scene = { server: TestServer; capsuleId: string; states: string[]; commit(): Promise<void>; projectionMs: number };

async function prepare(size: Size): Promise<Scene> {
  const server = await startTestServer();
  const capsule = await seedCapsule(server);
  const states: string[] = [];
  for (let generation = 1; generation <= size.generations; generation += 1)
    states.push(await seedRealState(server, capsule, { generation, text: textOf(size, generation) }));
  const { ms } = await timed(async () => {
    await server.restart();
    const params = { stateVersionId: states.at(-1) ?? '' };
    while (
      (await server.api.listStateResources({ params, query: { limit: '1' } })).body.projection.status === 'pending'
    )
      await new Promise((resolve) => setTimeout(resolve, 50));
  });
  return {
    server,
    capsuleId: capsule.id,
    states,
    ...(await committerOf(server, size)),
    projectionMs: ms / states.length,
  };
}

/** The commit of a state, as the end of an apply makes it, each time for another Capsule. */
async function committerOf(server: TestServer, size: Size): Promise<Pick<Scene, 'commit'>> {
  const db = openDb(server.dataDir, (error) => {
    throw error;
  });
  const vault = await openTestVault(server);
  const capsules = {
    getRow: () => {
      throw new Error('A commit does not read its Capsule.');
    },
  };
  const shared = { db, clock: systemClock, outbox: createOutbox(db, systemClock), cursors: createCursors('bench') };
  const states = createStateVersionsService({ ...shared, vault, capsules });
  const text = textOf(size, 1);
  const capsule = await seedCapsule(server);
  let generation = 0;
  const commit = async () => {
    generation += 1;
    const { workspaceId, id: capsuleId, environment } = capsule;
    const scope = { workspaceId, capsuleId, environment, generation, runId: newId('apply') };
    const more = { sourceSnapshotId: undefined, toolName: 'tofu' as const, partial: false, isSecret: () => false };
    db.write(() => states.commit({ ...scope, ...more, text, publish: { all: true } }));
  };
  return { commit };
}

/** Actions of people on the resources of a state, by name. */
const actions: { readonly [name: string]: (scene: Scene) => Promise<unknown> } = {
  'page of resources': ({ server, states }) =>
    server.api.listStateResources({ params: { stateVersionId: states.at(-1) ?? '' } }),
  'search of resources': ({ server, states }) =>
    server.api.listStateResources({ params: { stateVersionId: states.at(-1) ?? '' }, query: { q: 'of 49' } }),
  'comparison of two states': ({ server, states }) =>
    server.api.compareStateVersions({
      params: { stateVersionId: states[0] ?? '' },
      query: { with: states.at(-1) ?? '' },
    }),
  'history of a resource': ({ server, capsuleId }) =>
    server.api.listResourceHistory({ params: { capsuleId }, query: { address: 'test_thing.web[0]' } }),
  'commit of a state': ({ commit }) => commit(),
};

/** 5,000 resources and 100 generations, against a hundredth of that. */
export async function resources(samples: number): Promise<CaseResult[]> {
  const large = await prepare(sizes.large);
  const small = await prepare(sizes.small);
  const results = [compare('projection of a state', [large.projectionMs], [small.projectionMs])];
  for (const [name, act] of Object.entries(actions)) {
    const measured: number[] = [];
    const baseline: number[] = [];
    await Promise.all([act(large), act(small)]);
    for (let sample = 0; sample < samples; sample += 1) {
      measured.push((await timed(() => act(large))).ms);
      baseline.push((await timed(() => act(small))).ms);
    }
    results.push(compare(name, measured, baseline));
  }
  await Promise.all([large.server.close(), small.server.close()]);
  return results;
}
