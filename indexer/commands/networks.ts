import { parseArgs } from 'node:util'
import {
  abandonNetwork,
  type ListedNetwork,
  listNetworks,
  resumeNetwork,
} from '../../shared/db/abandoned-networks.ts'
import type { Environment, Network } from '../../shared/domain/networks.ts'
import { readOperatorConfig } from '../../shared/runtime/command-config.ts'
import { CommandError, table } from '../../shared/runtime/command-line.ts'
import { runCommand, withConnection } from './command.ts'
import { parseEnvironment, parseNetwork } from './parse-place.ts'

const USAGE = `Shows how far each network is followed, and goes on without one that does not come back.

  npm run networks -- list
  npm run networks -- abandon NETWORK --env live|test
  npm run networks -- resume NETWORK --env live|test

A charge expires only once every network it accepts is confirmed up to its expiresAt, so while no node of a network
answers (logged at level error) its charges stay open. Abandoned, it is not waited for, whatever was paid there: the
daemon follows it as before and credits what it sees, but an expired charge stays expired. Pairs on it are offered
until they are paused. OPERATOR_DATABASE_URL names the database.
`

await runCommand({ usage: USAGE, run })

async function run([verb, ...args]: string[]): Promise<readonly string[]> {
  if (verb === 'list') return await list()
  if (verb === 'abandon') return await abandon(parsePlace(args))
  if (verb === 'resume') return await resume(parsePlace(args))
  throw new CommandError(`networks can list, abandon or resume, not ${verb ?? 'nothing'}; see --help`)
}

async function list(): Promise<readonly string[]> {
  const networks = await withConnection(readOperatorConfig().databaseUrl, listNetworks)
  const headings = ['env', 'network', 'chain', 'head', 'confirmed up to', 'state']
  return table([headings, ...networks.map(presentNetwork)])
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

type Place = { readonly network: Network; readonly environment: Environment }

function parsePlace(args: string[]): Place {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: { env: { type: 'string' } },
  })
  if (positionals.length > 1) throw new CommandError('name one network; see --help')
  return { network: parseNetwork(positionals[0]), environment: parseEnvironment(values.env) }
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
  const state = headNumber === null ? 'waiting: no block has been read yet' : 'followed'
  return [...place, ...progress, abandonedAt ? `abandoned since ${abandonedAt.toISOString()}` : state]
}
