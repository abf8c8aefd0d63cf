import {
  type ListedPair,
  listPairs,
  pausePair,
  resumePair,
} from '../../shared/db/organizations/daemon/pairs.ts'
import { type Environment, type Pair, TOKENS } from '../../shared/domain/networks.ts'
import { CommandError, parseOptions, table } from '../../shared/runtime/command-line.ts'
import { runCommand, selectCommand, withOperator } from './command.ts'
import { parseEnvironment, parseNetwork } from './parse-deployment.ts'

const USAGE = `Lists every pair that was ever enabled, and pauses or resumes a pair with effect from the next request.

  npm run pairs -- list
  npm run pairs -- pause TOKEN NETWORK --env live|test     such as: pause USDC base --env live
  npm run pairs -- resume TOKEN NETWORK --env live|test

While a pair is paused, creating a charge that accepts it returns 503 payment_temporarily_unavailable. The daemon still watches
the pair and credits its payments. OPERATOR_DATABASE_URL names the database.
`

await runCommand({
  usage: USAGE,
  run: selectCommand({
    list,
    pause: (args) => change(args, { move: pausePair, outcome: 'is paused' }),
    resume: (args) => change(args, { move: resumePair, outcome: 'is not paused' }),
  }),
})

async function list(): Promise<readonly string[]> {
  const pairs = await withOperator(listPairs)
  return table([['env', 'network', 'token', 'chain', 'state'], ...pairs.map(presentPair)])
}

async function change(
  args: string[],
  { move, outcome }: { move: typeof pausePair; outcome: string },
): Promise<readonly string[]> {
  const pair = parsePair(args)
  const name = `${pair.token} on ${pair.network} (${pair.environment})`
  const isKnown = await withOperator((sql) => move(sql, pair))
  if (!isKnown) throw new CommandError(`${name} was never enabled: see npm run pairs -- list`)
  return [`${name} ${outcome}.`]
}

function parsePair(args: string[]): Pair & { environment: Environment } {
  const { values, positionals } = parseOptions(args, { texts: ['env'], allowPositionals: true })
  const token = TOKENS.find((known) => known === positionals[0]?.toUpperCase())
  if (!token)
    throw new CommandError(`the token is ${positionals[0] ?? 'missing'}: must be ${TOKENS.join(' or ')}`)
  return { token, network: parseNetwork(positionals[1]), environment: parseEnvironment(values.env) }
}

function presentPair(pair: ListedPair): readonly string[] {
  return [pair.environment, pair.network, pair.token, String(pair.chainId), stateOf(pair)]
}

function stateOf({ enabled, pausedAt, contractsMatch }: ListedPair): string {
  if (!enabled) return 'absent: not enabled in the configuration'
  if (contractsMatch === false)
    return 'absent: the contracts on this chain do not match, or a token has other decimals'
  if (pausedAt) return `paused since ${pausedAt.toISOString()}`
  return contractsMatch === null ? 'waiting: the contracts have not been read yet' : 'enabled'
}
