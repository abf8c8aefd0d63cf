import {
  abandonNetwork,
  type ListedNetwork,
  listNetworks,
  resumeNetwork,
} from '../../shared/db/chain-facts/daemon/abandoned-networks.ts'
import { readDoctorFacts } from '../../shared/db/chain-facts/daemon/doctor-facts.ts'
import { requestRepair } from '../../shared/db/chain-facts/daemon/feed-repairs.ts'
import { endNodeTrusts, insertNodeTrust } from '../../shared/db/chain-facts/daemon/node-trusts.ts'
import { findSessionProblems } from '../../shared/db/session-check.ts'
import type { Environment, Network } from '../../shared/domain/networks.ts'
import { readDoctorConfig } from '../../shared/runtime/command-config.ts'
import { CommandError, parseOptions, required, requireOne, table } from '../../shared/runtime/command-line.ts'
import { runCommand, selectCommand, withConnection, withOperator } from './command.ts'
import { getCoinPrice, parseCoinPrices } from './doctor/coin-prices.ts'
import { examineDeployment } from './doctor/examine-deployment.ts'
import { createPassedFinding, type Finding, isProblem } from './doctor/finding.ts'
import { parseEnvironment, parseNetwork } from './parse-deployment.ts'

/** Defined here, because constants below the call of `runCommand` are not yet initialized when the command runs. */
const MAX_TRUST_SECONDS = 24 * 3_600

const USAGE = `Shows the indexing progress of each network, abandons or resumes a network, repairs a feed, and trusts one node for a time.

  npm run networks -- list
  npm run networks -- doctor [NETWORK] [--env live|test] [--coin-usd NETWORK=DOLLARS …]
  npm run networks -- abandon NETWORK --env live|test
  npm run networks -- resume NETWORK --env live|test
  npm run networks -- repair NETWORK --env live|test [--from-block N]
  npm run networks -- trust NODE --network NETWORK --env live|test --for 2h --reason TEXT
  npm run networks -- distrust NETWORK --env live|test

A charge expires only after every network that it accepts is confirmed up to its expiresAt. While no node of a network responds
(logged at level error), the charges that accept it therefore stay open. Charges do not wait for an abandoned network, even if
they were paid there. The daemon still follows the network and credits the payments that it sees, but an expired charge stays
expired. The network's pairs stay available until you pause them.

If a node of another chain has served a feed, the feed might be ahead of every block of its own chain (logged at level error)
and then sees no payments. First configure the correct nodes. Then use repair: the daemon reads the chain again from the first
watched block, or from block N. Choose N so that all payments before block N are already recorded.

A payment counts once nodes of a quorum of operators show it. While fewer operators respond, payments wait. trust lets one node
decide without a quorum for at most 24 hours (--for 30m, 2h); use it only for a node that you have checked by other means. Rows
that counted this way are marked, and verified when the other nodes respond again. NODE is the node's name in logs and in the
doctor's output. Repeat the command to renew the trust. distrust ends the trust.

doctor checks the sessions of the database, and the nodes of all networks or of one: chain id, head, state, logs, batch limits,
both APIs on TRON, whether all nodes return the same blocks, how many operators run them, and whether their limits are sufficient.
It also checks our contracts, Safe's contracts, the tokens and their signing domains (EIP-3009), the balances of our accounts, and
whether the current cost of a payout is above the minimum payout, at an approximate coin price or at --coin-usd. It uses the
daemon's MINIMUM_PAYOUT, MAX_FEE_PER_GAS_GWEI and INDEXER_NODE_BUDGET_PERCENT. It prints the required actions, and exits with 1 if
there is a problem. Warnings are not problems.

OPERATOR_DATABASE_URL names the database.
`

await runCommand({
  usage: USAGE,
  run: selectCommand({
    list,
    doctor,
    abandon: (args) => abandon(parsePlace(args)),
    resume: (args) => resume(parsePlace(args)),
    repair,
    trust,
    distrust: (args) => distrust(parsePlace(args)),
  }),
})

async function list(): Promise<readonly string[]> {
  const networks = await withOperator(listNetworks)
  const headings = ['env', 'network', 'chain', 'head', 'confirmed up to', 'state']
  return table([headings, ...networks.map(presentNetwork)])
}

async function doctor(args: string[]): Promise<readonly string[]> {
  const options = { texts: ['env'], lists: ['coin-usd'], allowPositionals: true } as const
  const { values, positionals } = parseOptions(args, options)
  const [network] = positionals
  const prices = parseCoinPrices(values['coin-usd'])
  const config = readDoctorConfig()
  const wanted = config.deployments.filter(
    (one) => one.network === (network ?? one.network) && one.environment === (values.env ?? one.environment),
  )
  if (wanted.length === 0) throw new CommandError('no such network is configured: name it in DEPLOYMENTS')
  const rows: (readonly string[])[] = [...(await examineDatabase(config.databaseUrl))]
  await withConnection(config.databaseUrl, async (sql) => {
    for (const deployment of wanted) {
      const facts = await readDoctorFacts(sql, deployment.chainId)
      const coinUsd = getCoinPrice(deployment.network, prices)
      const findings = await examineDeployment(deployment, {
        ...{ facts, nowMs: Date.now(), coinUsd, budgetShare: config.nodeBudgetShare },
      })
      rows.push(...findings.map((finding) => [nameOf(deployment), ...presentFinding(finding)]))
      if (findings.some(isProblem)) process.exitCode = 1
    }
  })
  return table([['network', 'subject', 'found', 'to do'], ...rows])
}

/** Checks with two sessions whether the database connection is suitable, as each process does at startup. */
async function examineDatabase(url: string): Promise<readonly (readonly string[])[]> {
  const problems = await findSessionProblems({ url })
  if (problems.length > 0) process.exitCode = 1
  const findings =
    problems.length > 0
      ? problems.map((problem) => ({ subject: 'sessions', found: 'unsuitable', remedy: problem }))
      : [createPassedFinding('sessions', 'two sessions are independent, and notifications arrive')]
  return findings.map((finding) => ['database', ...presentFinding(finding)])
}

function presentFinding({ subject, found, remedy, isWarning }: Finding): readonly string[] {
  return [subject, found, isWarning ? `warning: ${remedy}` : (remedy ?? 'nothing')]
}

async function abandon(place: Place): Promise<readonly string[]> {
  const since = await withOperator((sql) => abandonNetwork(sql, place))
  if (since === null) throw neverWatched(place)
  return [
    `${nameOf(place)} has been abandoned since ${since.toISOString()}.`,
    'From now on, charges that accept it expire without waiting for it. Payments on it are still',
    'credited when the daemon sees them, but do not confirm an expired charge. Pause its pairs to disable it.',
  ]
}

async function resume(place: Place): Promise<readonly string[]> {
  const isKnown = await withOperator((sql) => resumeNetwork(sql, place))
  if (!isKnown) throw neverWatched(place)
  return [`${nameOf(place)} is not abandoned: open charges that accept it wait for it before they expire.`]
}

async function repair(args: string[]): Promise<readonly string[]> {
  const { values, positionals } = parseOptions(args, { texts: ['env', 'from-block'], allowPositionals: true })
  const place = toPlace(positionals, values.env)
  const fromBlock = parseBlock(values['from-block'])
  const isKnown = await withOperator((sql) => requestRepair(sql, { ...place, fromBlock }))
  if (!isKnown) throw neverWatched(place)
  const from = fromBlock === null ? 'the first watched block' : `block ${fromBlock}`
  return [
    `Ordered a repair of the feed of ${nameOf(place)}, from ${from}.`,
    'The daemon that owns the network starts and logs the repair within seconds, once a node of the chain responds.',
  ]
}

async function trust(args: string[]): Promise<readonly string[]> {
  const texts = ['env', 'network', 'for', 'reason'] as const
  const { values, positionals } = parseOptions(args, { texts, allowPositionals: true })
  const node = requireOne(positionals, 'name one node; see --help')
  const place = toPlace([required(values.network, 'network')], values.env)
  const [seconds, reason] = [parseSeconds(values.for), required(values.reason, 'reason')]
  const endsAt = await withOperator((sql) => insertNodeTrust(sql, { ...place, node, seconds, reason }))
  if (endsAt === null) throw neverWatched(place)
  return [
    `${node} decides without a quorum for ${nameOf(place)} until ${endsAt.toISOString()}.`,
    'Rows that count because of this node alone are marked, and verified when the other nodes respond again.',
  ]
}

async function distrust(place: Place): Promise<readonly string[]> {
  const ended = await withOperator((sql) => endNodeTrusts(sql, place))
  return [
    ended > 0
      ? `Ended the trust for ${nameOf(place)}: a quorum decides again.`
      : `No node was trusted for ${nameOf(place)}.`,
  ]
}

function parseSeconds(text: string | undefined): number {
  const [, count, unit] = /^(\d{1,5})(m|h)$/.exec(required(text, 'for')) ?? []
  const seconds = Number(count) * (unit === 'h' ? 3_600 : 60)
  if (seconds > 0 && seconds <= MAX_TRUST_SECONDS) return seconds
  throw new CommandError(
    `--for is "${text}": must be a number of minutes or hours, such as 30m or 2h, up to 24h`,
  )
}

function parseBlock(text: string | undefined): number | null {
  if (text === undefined) return null
  if (/^\d{1,15}$/.test(text)) return Number(text)
  throw new CommandError(`--from-block is "${text}": must be the number of a block`)
}

type Place = { readonly network: Network; readonly environment: Environment }

function parsePlace(args: string[]): Place {
  const { values, positionals } = parseOptions(args, { texts: ['env'], allowPositionals: true })
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
  return new CommandError(`${nameOf(place)} was never watched: see npm run networks -- list`)
}

function presentNetwork(listed: ListedNetwork): readonly string[] {
  const { network, environment, chainId, headNumber, deepAt } = listed
  const progress = [headNumber === null ? '-' : String(headNumber), deepAt?.toISOString() ?? '-']
  return [environment, network, String(chainId), ...progress, stateOf(listed)]
}

function stateOf({ headNumber, abandonedAt, feedAheadSince, repairRequestedAt }: ListedNetwork): string {
  if (abandonedAt) return `abandoned since ${abandonedAt.toISOString()}`
  if (repairRequestedAt !== null) return `repair ordered at ${repairRequestedAt.toISOString()}`
  if (feedAheadSince !== null) return `ahead of its chain since ${feedAheadSince.toISOString()}: see repair`
  return headNumber === null ? 'waiting: no block has been read yet' : 'followed'
}
