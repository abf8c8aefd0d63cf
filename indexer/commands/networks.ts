import { parseArgs } from 'node:util'
import {
  abandonNetwork,
  type ListedNetwork,
  listNetworks,
  resumeNetwork,
} from '../../shared/db/chain-facts/daemon/abandoned-networks.ts'
import { readDoctorFacts } from '../../shared/db/chain-facts/daemon/doctor-facts.ts'
import { requestRepair } from '../../shared/db/chain-facts/daemon/feed-repairs.ts'
import { endNodeTrusts, insertNodeTrust } from '../../shared/db/chain-facts/daemon/node-trusts.ts'
import type { Environment, Network } from '../../shared/domain/networks.ts'
import { readDoctorConfig, readOperatorConfig } from '../../shared/runtime/command-config.ts'
import { CommandError, required, table } from '../../shared/runtime/command-line.ts'
import { runCommand, withConnection } from './command.ts'
import { getCoinPrice } from './doctor/coin-prices.ts'
import { examineDeployment } from './doctor/examine-deployment.ts'
import { type Finding, isProblem } from './doctor/finding.ts'
import { parseEnvironment, parseNetwork } from './parse-deployment.ts'

const TEXT = { type: 'string' } as const
/** Defined above `runCommand`, because the command runs before later constants are initialized. */
const MAX_TRUST_SECONDS = 24 * 3_600

const USAGE = `Shows how far each network is followed, goes on without one that does not come back, mends a feed, and lets
one node decide alone for a time.

  npm run networks -- list
  npm run networks -- doctor [NETWORK] [--env live|test] [--coin-usd NETWORK=DOLLARS …]
  npm run networks -- abandon NETWORK --env live|test
  npm run networks -- resume NETWORK --env live|test
  npm run networks -- mend-feed NETWORK --env live|test [--from-block N]
  npm run networks -- trust NODE --network NETWORK --env live|test --for 2h --reason TEXT
  npm run networks -- distrust NETWORK --env live|test

A charge expires only once every network it accepts is confirmed up to its expiresAt, so while no node of a network
answers (logged at level error) its charges stay open. Abandoned, it is not waited for, whatever was paid there: the
daemon follows it as before and credits what it sees, but an expired charge stays expired. Pairs on it are offered
until they are paused.

A feed that a node of another chain once led may begin or stand above every block of its own chain (logged at level
error): nothing paid is seen. First set the right nodes. Then mend-feed orders the daemon to read the chain anew, from
where it was first watched, or from block N, before which nothing that was paid may be unknown.

A payment counts once nodes of as many operators as the network's quorum show it. While fewer respond, money waits. trust
lets one node that you have checked by other means decide alone, for at most 24 hours (--for 30m, 2h); repeat it to renew
it. NODE is the name that logs and the doctor show. What counted that way is marked, and verified when the other nodes
are back. distrust ends it.

doctor reads every configured node, or those of one network: chain id, head, state, logs, what it takes at once, on TRON
both of its APIs, whether all have the same blocks, and how many operators run them; then our contracts, Safe's, the
tokens, whether they take what our payers would sign (EIP-3009), the relayers' money, and what a payout costs now beside
the least that one must be worth, at about what the coin costs or as --coin-usd says.
MINIMUM_PAYOUT and MAX_FEE_PER_GAS_GWEI are the daemon's. It says what to do, and exits 1 if there is anything to do
beside warnings.

OPERATOR_DATABASE_URL names the database.
`

await runCommand({ usage: USAGE, run })

async function run([verb, ...args]: string[]): Promise<readonly string[]> {
  if (verb === 'list') return await list()
  if (verb === 'doctor') return await doctor(args)
  if (verb === 'abandon') return await abandon(parsePlace(args))
  if (verb === 'resume') return await resume(parsePlace(args))
  if (verb === 'mend-feed') return await mendFeed(args)
  if (verb === 'trust') return await trust(args)
  if (verb === 'distrust') return await distrust(parsePlace(args))
  throw new CommandError(
    `networks can list, doctor, abandon, resume, mend-feed, trust or distrust, not ${verb ?? 'nothing'}; see --help`,
  )
}

async function list(): Promise<readonly string[]> {
  const networks = await withConnection(readOperatorConfig().databaseUrl, listNetworks)
  const headings = ['env', 'network', 'chain', 'head', 'confirmed up to', 'state']
  return table([headings, ...networks.map(presentNetwork)])
}

async function doctor(args: string[]): Promise<readonly string[]> {
  const options = {
    env: TEXT,
    'coin-usd': { type: 'string', multiple: true, default: [] as string[] },
  } as const
  const { values, positionals } = parseArgs({ args, allowPositionals: true, options })
  const [network] = positionals
  const config = readDoctorConfig()
  const wanted = config.deployments.filter(
    (one) => one.network === (network ?? one.network) && one.environment === (values.env ?? one.environment),
  )
  if (wanted.length === 0) throw new CommandError(`${network} is not configured: name it in DEPLOYMENTS`)
  const rows: (readonly string[])[] = []
  await withConnection(config.databaseUrl, async (sql) => {
    for (const deployment of wanted) {
      const facts = await readDoctorFacts(sql, deployment.chainId)
      const coinUsd = getCoinPrice(deployment.network, values['coin-usd'])
      const findings = await examineDeployment(deployment, { facts, nowMs: Date.now(), coinUsd })
      rows.push(...findings.map((finding) => [nameOf(deployment), ...presentFinding(finding)]))
      if (findings.some(isProblem)) process.exitCode = 1
    }
  })
  return table([['network', 'what', 'found', 'to do'], ...rows])
}

function presentFinding({ subject, found, mend, isWarning }: Finding): readonly string[] {
  return [subject, found, isWarning ? `warning: ${mend}` : (mend ?? 'nothing')]
}

async function abandon(place: Place): Promise<readonly string[]> {
  const since = await withConnection(readOperatorConfig().databaseUrl, (sql) => abandonNetwork(sql, place))
  if (since === null) throw neverWatched(place)
  return [
    `${nameOf(place)} is abandoned since ${since.toISOString()}.`,
    'Charges that accept it expire without waiting for it, from now on and for good. What is paid there is still',
    'credited once it is seen, but does not confirm a charge that has expired. Pause its pairs to offer it no more.',
  ]
}

async function resume(place: Place): Promise<readonly string[]> {
  const isKnown = await withConnection(readOperatorConfig().databaseUrl, (sql) => resumeNetwork(sql, place))
  if (!isKnown) throw neverWatched(place)
  return [`${nameOf(place)} is not abandoned: open charges that accept it wait for it before they expire.`]
}

async function mendFeed(args: string[]): Promise<readonly string[]> {
  const options = { env: TEXT, 'from-block': TEXT }
  const { values, positionals } = parseArgs({ args, allowPositionals: true, options })
  const place = toPlace(positionals, values.env)
  const fromBlock = parseBlock(values['from-block'])
  const { databaseUrl } = readOperatorConfig()
  const isKnown = await withConnection(databaseUrl, (sql) => requestRepair(sql, { ...place, fromBlock }))
  if (!isKnown) throw neverWatched(place)
  const from = fromBlock === null ? 'where the network was first watched' : `block ${fromBlock}`
  return [
    `The feed of ${nameOf(place)} is ordered to begin anew, from ${from}.`,
    'The daemon that owns the network does it within seconds, once a node of its chain answers, and logs it.',
  ]
}

async function trust(args: string[]): Promise<readonly string[]> {
  const options = { env: TEXT, network: TEXT, for: TEXT, reason: TEXT }
  const { values, positionals } = parseArgs({ args, allowPositionals: true, options })
  const [node, ...others] = positionals
  if (node === undefined || others.length > 0) throw new CommandError('name one node; see --help')
  const place = toPlace([required(values.network, 'network')], values.env)
  const order = {
    ...place,
    node,
    seconds: parseSeconds(values.for),
    reason: required(values.reason, 'reason'),
  }
  const { databaseUrl } = readOperatorConfig()
  const endsAt = await withConnection(databaseUrl, (sql) => insertNodeTrust(sql, order))
  if (endsAt === null) throw neverWatched(place)
  return [
    `${node} decides alone for ${nameOf(place)} until ${endsAt.toISOString()}.`,
    'What counts by its word alone is marked, and verified when the other nodes are back.',
  ]
}

async function distrust(place: Place): Promise<readonly string[]> {
  const { databaseUrl } = readOperatorConfig()
  const ended = await withConnection(databaseUrl, (sql) => endNodeTrusts(sql, place))
  return [
    ended > 0
      ? `No node decides alone for ${nameOf(place)} any more.`
      : `No node decided alone for ${nameOf(place)}.`,
  ]
}

function parseSeconds(text: string | undefined): number {
  const [, count, unit] = /^(\d{1,5})(m|h)$/.exec(required(text, 'for')) ?? []
  const seconds = Number(count) * (unit === 'h' ? 3_600 : 60)
  if (seconds > 0 && seconds <= MAX_TRUST_SECONDS) return seconds
  throw new CommandError(`--for is "${text}": must be minutes or hours up to 24h, such as 30m or 2h`)
}

function parseBlock(text: string | undefined): number | null {
  if (text === undefined) return null
  if (/^\d{1,15}$/.test(text)) return Number(text)
  throw new CommandError(`--from-block is "${text}": must be the number of a block`)
}

type Place = { readonly network: Network; readonly environment: Environment }

function parsePlace(args: string[]): Place {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: { env: TEXT },
  })
  return toPlace(positionals, values.env)
}

function toPlace(positionals: readonly string[], environment: string | undefined): Place {
  if (positionals.length > 1) throw new CommandError('name one network; see --help')
  return { network: parseNetwork(positionals[0]), environment: parseEnvironment(environment) }
}

function nameOf({ network, environment }: Place): string {
  return `${network} (${environment})`
}

function neverWatched(place: Place): CommandError {
  return new CommandError(`${nameOf(place)} was never watched: see networks -- list`)
}

function presentNetwork(listed: ListedNetwork): readonly string[] {
  const { network, environment, chainId, headNumber, deepAt, abandonedAt } = listed
  const place = [environment, network, String(chainId)]
  const progress = [headNumber === null ? '-' : String(headNumber), deepAt?.toISOString() ?? '-']
  return [
    ...place,
    ...progress,
    abandonedAt ? `abandoned since ${abandonedAt.toISOString()}` : stateOf(listed),
  ]
}

function stateOf({ headNumber, feedAboveSince, mendRequestedAt }: ListedNetwork): string {
  if (mendRequestedAt !== null) return `to be mended, ordered at ${mendRequestedAt.toISOString()}`
  if (feedAboveSince !== null) return `above its chain since ${feedAboveSince.toISOString()}: see mend-feed`
  return headNumber === null ? 'waiting: no block has been read yet' : 'followed'
}
