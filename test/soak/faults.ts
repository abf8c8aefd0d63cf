import { setTimeout as delay } from 'node:timers/promises'
import type { Devnet } from '../devnet/devnet.ts'
import type { Market } from '../support/market.ts'
import { KILLS, killAndStart, killPonder } from '../support/process-kills.ts'
import type { RpcFate, RpcProxy } from '../support/rpc-proxy.ts'
import { query } from '../support/scenario.ts'
import type { Random } from '../support/seeded-random.ts'

export type FaultContext = {
  readonly devnet: Devnet
  readonly market: Market
  /** Proxies through which the daemon reaches the nodes. */
  readonly proxies: readonly RpcProxy[]
  readonly random: Random
}

/** A fault. `happen` resolves when the fault is over. */
export type Mishap = { readonly name: string; readonly happen: (place: FaultContext) => Promise<void> }

/**
 * Duration of a node's failure: shorter than the time after which a node counts as lost, and longer than the timeout of
 * any request.
 */
const NODE_FAILS_MS = 20_000

/** Faults, one per minute in rotation. Each is over within a minute unless the machine is overloaded. */
export const MISHAPS: readonly Mishap[] = [
  {
    name: 'the daemon is killed',
    happen: ({ devnet }) => killAndStart(devnet.indexer),
  },
  {
    name: 'the API is killed',
    happen: ({ devnet }) => killAndStart(devnet.api),
  },
  {
    name: 'a node does not respond',
    happen: (stage) => failNode(stage, 'hang'),
  },
  {
    name: 'a Ponder is killed',
    happen: ({ devnet, random }) => killPonder(devnet, random.pick),
  },
  {
    name: 'PostgreSQL is killed and started again',
    happen: ({ devnet }) => KILLS.PostgreSQL(devnet),
  },
  {
    name: 'a node rejects every request',
    happen: (stage) => failNode(stage, 'error'),
  },
  {
    name: "about half of the daemon's database sessions are ended",
    happen: async ({ devnet }) => {
      await query(
        devnet,
        // Without further privileges, a role may end only its own sessions.
        (sql) => sql`
          select pg_terminate_backend(pid) from pg_stat_activity
          where usename = current_user and pid <> pg_backend_pid() and pid % 2 = 0`,
        'daemon',
      )
    },
  },
  { name: 'base is reorganized', happen: ({ market }) => market.reorganize() },
]

/** Makes one node fail every request in this way for `NODE_FAILS_MS`. */
async function failNode({ proxies, random }: FaultContext, fate: RpcFate): Promise<void> {
  const proxy = random.pick(proxies)
  proxy.rule(() => fate)
  await delay(NODE_FAILS_MS)
  proxy.rule(() => 'pass')
}
