import { folder, type Terms } from './terms.ts';

const oneMachine = { takes: [...folder, 'json'], argNames: ['the id of a runner machine'], help: '' } as const;

/** Commands of the operator for pools of runner machines. */
export const runnersTerms = {
  'runner-pools list': {
    does: 'lists the pools of runner machines, and what waits in each',
    takes: [...folder, 'json'],
    argNames: [],
    help: '',
  },
  'runner-pools create': {
    does: 'creates a pool of runner machines',
    takes: [...folder, 'json'],
    argNames: ['the name of a new pool'],
    help: '',
  },
  'runner-pools rename': {
    does: 'gives a pool another name',
    takes: [...folder, 'json'],
    argNames: ['the name or id of a pool', 'its new name'],
    help: '',
  },
  'runner-pools remove': {
    does: 'removes a pool that nothing uses',
    takes: [...folder, 'json'],
    argNames: ['the name or id of a pool'],
    help: '',
  },
  'runner-pools allow': {
    does: 'names all pools that a Workspace may use besides local',
    takes: [...folder, 'workspace', 'pool', 'default', 'json'],
    argNames: [],
    help: `  --data-dir DIR       the data folder
  --workspace NAME     handle or id
  --pool NAME          name or id of a pool; repeat it for more, and leave it out to withdraw all
  --default            makes the first one the pool of Capsules that choose none
  --json               one JSON document`,
  },
  runner: {
    does: 'executes the Runs of a pool on this machine',
    takes: ['data-dir', 'enrol', 'connect', 'authority', 'concurrency'],
    argNames: [],
    help: `  --data-dir DIR       a folder of its own, made when it is missing
  --enrol FILE         the text of an enrolment; not read when the machine has joined a pool
  --connect ADDRESSES  other addresses of NATS than those of the enrolment, separated by commas; they are stored
  --authority FILE     another certificate authority of NATS than that of the enrolment; it is stored
  --concurrency N      Runs at once, 1 to 64; 2 unless given`,
  },
  'nats config': {
    does: 'prints the configuration of a NATS server for runner machines',
    takes: [...folder, 'host', 'port', 'folder', 'certificate', 'key', 'name', 'cluster-port', 'routes', 'authority'],
    argNames: [],
    help: `  --data-dir DIR       the data folder of the server
  --host ADDRESS       the address that NATS listens on; 127.0.0.1 unless given
  --port N             its port; 4222 unless given
  --folder DIR         the folder of its data
  --certificate FILE   with --key: machines connect with TLS
  --name NAME          makes it a member of a cluster; each member has another name
  --cluster-port N     the port that the other members connect to; 6222 unless given
  --routes ADDRESSES   address and port of each member, separated by commas
  --authority FILE     with --certificate: the authority that signs certificates of members and nothing else`,
  },
  'runners list': {
    does: 'lists the runner machines',
    takes: [...folder, 'pool', 'json'],
    argNames: [],
    help: `  --data-dir DIR       the data folder
  --pool NAME          name or id of a pool; all unless given
  --json               one JSON document`,
  },
  'runners drain': { does: 'lets a runner machine finish its Runs and claim no others', ...oneMachine },
  'runners resume': { does: 'lets a draining runner machine claim Runs again', ...oneMachine },
  'runners revoke': { does: 'ends the access of a runner machine for good', ...oneMachine },
  'runners enrolments': {
    does: 'lists the enrolments of a pool that a machine can still use',
    takes: [...folder, 'pool', 'json'],
    argNames: [],
    help: `  --data-dir DIR       the data folder
  --pool NAME          name or id of the pool
  --json               one JSON document`,
  },
  'runners cancel': {
    does: 'cancels an enrolment that no machine has used',
    takes: [...folder, 'json'],
    argNames: ['the id of an enrolment'],
    help: '',
  },
  'runners enrol': {
    does: 'writes a text that lets one machine join a pool within 15 minutes',
    takes: [...folder, 'pool', 'out', 'json'],
    argNames: [],
    help: `  --data-dir DIR       the data folder
  --pool NAME          name or id of the pool
  --out FILE           a new file, which only you can read
  --json               one JSON document, without the text`,
  },
} as const satisfies Readonly<Record<string, Terms>>;
